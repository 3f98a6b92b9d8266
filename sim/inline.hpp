#pragma once

/// For the few functions that run for every event and have one or two callers: compilers judge them too long to
/// inline, and a third of the instructions of an event would go into calls.
#define FORKSIM_INLINE [[gnu::always_inline]] inline
