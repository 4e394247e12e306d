/* What a fake stands for. A function that the simulator puts in the place of another is called
 * __wrap_NAME and declared by FAKE(NAME), after the header that declares NAME: the two must have
 * one type, and no index of the code takes the fake for the real one. The linker sends every call
 * of NAME there (--wrap); sim.mk collects the names from the FAKE lines. */
#ifndef CARILLON_SIM_FAKE_H
#define CARILLON_SIM_FAKE_H

#define FAKE(name) extern __typeof__(name) __wrap_##name

#endif
