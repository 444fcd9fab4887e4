"""normgrad: backward operators of normalisation layers for Ascend NPUs, proved on any computer."""

__version__ = "0.1.0.dev0"
