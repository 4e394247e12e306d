# The stack is started by it, so it builds when nothing else does: no library of ours.
kafka-embedded_LIBS :=
