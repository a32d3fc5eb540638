"""What the Snakemake workflow needs besides science: config checks, planning, digests, summary."""
