# On a node of a cluster: run the job that was meant. Snakemake reads its name wrongly where a wildcard holds a
# comma (see fedbnsl/workflow/target_jobs.py), and what it has read is at hand only when it builds its graph of jobs.
import snakemake.dag
import snakemake.workflow
from snakemake.target_jobs import TargetSpec

from fedbnsl.workflow.target_jobs import target_jobs


def dag_of_meant_jobs(run, *arguments, **options):
    """The graph of the jobs named on the command line, each with the wildcards it was given."""
    run.dag_settings.target_jobs = [TargetSpec(*job) for job in target_jobs(sys.argv)]
    return snakemake.dag.DAG(run, *arguments, **options)


if target_jobs(sys.argv):
    snakemake.workflow.DAG = dag_of_meant_jobs
