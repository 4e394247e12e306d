"""CARILLON_TEST_ADVERSE: the draws of bets that no test has forced are the least convenient ones, so that whatever a test silently leaves to chance goes wrong.
Tests that are about the draws of the stream itself fail then: CONTRIBUTING.md names them."""
import os

from lib_rules import Rules

LEFT = 40  # bets of a player


def draws(what):
    """SQL after which each player has such draws, behind all that a test forces. The load generator's players, who cope with everything, have none."""
    rules = Rules(os.path.join(os.path.dirname(__file__), "../../services/spin-engine/games/bewitched/definition.demo.json"))
    scripts = {"feature": [*rules.stops(scatters=3), 1], "win": rules.stops(win=True, bet={"coin_minor": 1, "lines": 1, "coins": 1}),
               "jackpot": [*rules.stops(bonuses=3), 0], "loss": rules.stops()}
    assert what in scripts, f"CARILLON_TEST_ADVERSE: found '{what}', expected one of {', '.join(scripts)}"
    behind = 10 ** 12
    return f"""create or replace function engine.adverse() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
            declare number bigint := new.player & 281474976710655;
            begin
                if (number between 1000 and 4999 or number > 60000) and not exists (select from engine.forced_draw where player = new.player and id > {behind}) then
                    insert into engine.forced_draw (id, player, script) overriding system value
                        select {behind} + nextval('engine.adverse_id'), new.player, array{scripts[what]} from generate_series(1, {LEFT});
                end if;
                return null;
            end $$;
        create sequence if not exists engine.adverse_id;
        create or replace trigger adverse after insert on wallet.journal for each row when (new.kind not between 2 and 8) execute function engine.adverse()"""
