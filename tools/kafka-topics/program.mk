# The stack is started by it, so it builds when nothing else does: no library of ours.
kafka-topics_LIBS :=
