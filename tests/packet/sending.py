"""What an output controller has still to send, by its registers: for the specifications of all units that have one."""

__all__ = ["sending_of"]


def sending_of(register):
    """Return the next word, how many are left, and whether one is fetched: the last one, if none is left.

    Parameters
    ----------
    register : function
        Returns a register of the controller by its name.
    """
    word, length, fetched = (register(name) for name in ("word", "length", "fetched"))
    return word, (length - word)[: len(length)], fetched
