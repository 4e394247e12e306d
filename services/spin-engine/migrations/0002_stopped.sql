comment on table engine.stopped_game is
'Games the engine itself has stopped: because a round went past its proven bounds, or game 0, all of them, because the random numbers failed a test of their health. Read every second; deleting the row starts the game again.';
