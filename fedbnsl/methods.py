"""The entries of the register: one a method. See :mod:`fedbnsl.registry` for what each field means."""

METHODS = []
