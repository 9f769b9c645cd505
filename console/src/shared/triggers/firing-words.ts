import type { Firing } from '#console/api/types.ts'

type Words = { label: string; remedy: string }

/** Why a firing has no run, and what helps. */
export const reasonWords: Record<NonNullable<Firing['reason']>, Words> = {
  SKIPPED_OVERLAP: {
    label: 'Skipped: the run before had not ended',
    remedy: 'Let runs overlap or queue, or fire less often.',
  },
  MISSED: {
    label: 'Missed: no server was running',
    remedy: 'Nothing to do. Its catch-up decides what is made up for.',
  },
  PAUSED: { label: 'Paused', remedy: 'Mend the cause, then switch it on.' },
  BUDGET: { label: 'Over the spend limit', remedy: 'Raise the limit, or wait for the next month.' },
  INVALID_INPUT: { label: 'Inputs do not fit', remedy: 'Change the inputs or the mapping.' },
  NO_VERSION: {
    label: 'No version can run',
    remedy: 'Open the workflow and save a valid version.',
  },
  QUOTA: { label: 'Too many runs wait', remedy: 'Wait until some have ended.' },
}

export const pauseWords: Record<string, string> = {
  FAILURES: 'Paused: its runs kept failing',
  KEY_REVOKED: 'Paused: its key was revoked',
  MEMBER_LEFT: 'Paused: its maker has left',
  RESTORED: 'Paused: restored from a backup',
}

export const kindWords = { SCHEDULE: 'Schedule', ONCE: 'Once', WEBHOOK: 'Webhook' } as const
