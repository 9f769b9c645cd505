/** One look for everything that people type into or choose from. */
export const controlClass =
  'w-full min-w-0 rounded-sm border border-control bg-card px-3 py-1.5 text-base text-ink transition-colors hover:border-ink disabled:cursor-not-allowed disabled:opacity-50 aria-invalid:border-bad [input&]:read-only:bg-sunken pointer-coarse:min-h-11'
