"""The JSON schema of the section ``cohort:`` of config.yaml; the defaults stand here and nowhere else."""

_NAMES = {"type": "array", "items": {"type": "string", "minLength": 1}, "default": []}
_CODES = {"type": "array", "items": {"type": ["string", "number"]}, "minItems": 1}
_EDGES = {
    "type": ["array", "string"],
    "items": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
    "default": [],
}

SCHEMA = {
    "description": "Your own sites, as cohort: {sites: {north: data/north.csv, south: data/south.csv}}.",
    "type": "object",
    "default": {},
    "additionalProperties": False,
    "properties": {
        "sites": {
            "description": "A file a site, as sites: {north: north.csv}, or a pattern: sites: data/*.csv.",
            "type": ["object", "string", "array"],
            "default": {},
            "items": {"type": "string", "minLength": 1},
            "additionalProperties": {
                "type": ["string", "object"],
                "additionalProperties": False,
                "required": ["file"],
                "properties": {
                    "file": {"type": "string", "minLength": 1},
                    "separator": {
                        "description": 'One character, as separator: ";"; by default that of the suffix.',
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 1,
                    },
                    "decimal": {"enum": [".", ","]},
                    "encoding": {"type": "string", "minLength": 1},
                },
            },
        },
        "columns": {
            "type": "object",
            "default": {},
            "additionalProperties": False,
            "properties": {
                "ignore": _NAMES,
                "identifier": _NAMES,
                "discrete": {
                    "description": "The states of columns, as discrete: {smoke: [no, yes]}, or a file.",
                    "type": ["object", "string"],
                    "default": {},
                    "additionalProperties": {
                        "description": "All states that any site may hold, as smoke: [no, yes].",
                        "type": "array",
                        "minItems": 1,
                        "items": {"type": ["string", "integer", "boolean"]},
                    },
                },
                "continuous": _NAMES,
                "discretise": {
                    "type": "object",
                    "default": {},
                    "additionalProperties": {
                        "description": "Cut points, increasing, known without the data, as age: [40, 60].",
                        "type": "array",
                        "minItems": 1,
                        "items": {"type": "number"},
                    },
                },
            },
        },
        "rename": {
            "type": "object",
            "default": {},
            "additionalProperties": {"type": "string", "minLength": 1},
        },
        "recode": {
            "type": "object",
            "default": {},
            "additionalProperties": {
                "type": "object",
                "additionalProperties": {"type": ["string", "integer", "boolean"]},
            },
        },
        "spelling": {"enum": ["exact", "loose"], "default": "exact"},
        "missing": {
            "type": "object",
            "default": {},
            "additionalProperties": False,
            "properties": {
                "codes": {**_CODES, "minItems": 0, "default": []},
                "by_column": {"type": "object", "default": {}, "additionalProperties": _CODES},
                "policy": {"enum": ["reject", "complete-cases", "impute"], "default": "reject"},
            },
        },
        "background": {
            "type": "object",
            "default": {},
            "additionalProperties": False,
            "properties": {
                "required": _EDGES,
                "forbidden": _EDGES,
                "tiers": {
                    "type": ["array", "string"],
                    "items": {"type": "array", "items": {"type": "string"}, "minItems": 1},
                    "default": [],
                },
            },
        },
        "learner": {"type": "string", "minLength": 1, "default": "ges"},
        "consensus": {"type": "array", "items": {"type": "string"}, "default": ["gmcbc"]},
        "federate": {"type": "array", "items": {"type": "string"}, "default": []},
        "stability": {
            "type": "object",
            "default": {},
            "additionalProperties": False,
            "properties": {
                "replicates": {
                    "description": "0 for none, or 2 and more, as replicates: 50.",
                    "type": "integer",
                    "minimum": 0,
                    "not": {"const": 1},
                    "default": 50,
                }
            },
        },
        "held_out": {
            "type": "object",
            "default": {},
            "additionalProperties": False,
            "properties": {
                "folds": {
                    "description": "0 for none, or 2 and more, as folds: 5.",
                    "type": "integer",
                    "minimum": 0,
                    "not": {"const": 1},
                    "default": 5,
                }
            },
        },
        "parameters": {
            "type": "object",
            "default": {},
            "additionalProperties": False,
            "properties": {
                "pseudo_count": {"type": "number", "exclusiveMinimum": 0, "default": 1.0},
            },
        },
    },
}
