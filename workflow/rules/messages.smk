# What a run says before it starts and when it ends.

STUDY_TARGETS = {"all", "learned", *PLAN.studies} & set(sys.argv)
# whether the run is about a user's own sites and nothing else
COHORT_ALONE = bool({"check", "cohort", "examples"} & set(sys.argv)) and not (
    STUDY_TARGETS or "networks" in sys.argv
)
# whether the run is about the studies, perhaps among others
OF_STUDIES = not (COHORT_ALONE or "verify" in sys.argv or ("networks" in sys.argv and not STUDY_TARGETS))


def at_once():
    """How many jobs run at once: as many as there are cores here, or as a cluster may hold."""
    asked = workflow.resource_settings
    return max(1, asked.cores or asked.nodes or 1)


def announce():
    """Say what is about to run and what it will take."""
    if OWN_FILES and not COHORT_ALONE:
        print(own_networks.announcement(OWN_FILES, CONFIG["networks"]["methods"]), file=sys.stderr)
    if OF_STUDIES:
        print(summary.announcement(PLAN, at_once()), file=sys.stderr)


def summarize(succeeded):
    """Say what was made, where, and how long it took."""
    if "check" in sys.argv and Path(CHECKED).exists():
        print(Path(CHECKED).read_text(encoding="utf-8"), file=sys.stderr)
    if COHORT.sites and "cohort" in sys.argv:
        print(cohort_pieces.report(COHORT.methods), file=sys.stderr)
    if OWN_FILES and not COHORT_ALONE:
        print(own_networks.report(CONFIG["networks"]["methods"]), file=sys.stderr)
    if OF_STUDIES:
        print(summary.report(PLAN, STARTED, time.time(), at_once(), succeeded), file=sys.stderr)


# `onstart` does not run in a dry run, where one wants to know as much
if {"-n", "--dry-run", "--dryrun"} & set(sys.argv) and workflow.is_main_process:
    announce()
