import type { Command } from '../command.ts'

const environment =
  'Reads the same environment as the server: DATA_DIR, DATABASE_URL, MEDIA_URL, SECRET_KEY.'

/** Commands on the data of an installation, for whoever operates it. */
export const dataCommands: readonly Command[] = [
  {
    name: 'backup',
    summary: 'Copy database, media and keys into a new folder',
    about: `Works while the server is running: the copy is a snapshot of one moment, and no request waits for it. ${environment} The folder holds every secret of the installation: keep it like a password.`,
    positionals: [{ name: 'FOLDER', kind: 'one', help: 'New or empty.' }],
    examples: ['atelier backup /backups/2026-11-16'],
    load: async () => (await import('../commands/backup.ts')).backup,
  },
  {
    name: 'restore',
    summary: 'Fill a new installation from a backup',
    about: `Checks every file of the backup first, then fills DATA_DIR or DATABASE_URL, which must be empty. ${environment} Runs, tasks and webhooks that had not ended when the backup was created are ended as failed, because the original may have continued and paid for them.`,
    positionals: [{ name: 'FOLDER', kind: 'one', help: 'Of "atelier backup".' }],
    options: {
      resume: {
        kind: 'flag',
        help: 'Continue unfinished work. Only if the original has been stopped since before the backup.',
      },
      trust: {
        kind: 'flag',
        help: 'Restore a backup that is not signed with SECRET_KEY. Only if nobody else could write to the folder.',
      },
      check: { kind: 'flag', help: 'Only check the backup; write nothing.' },
    },
    examples: [
      'atelier restore /backups/2026-11-16 --check',
      'DATA_DIR=/srv/atelier atelier restore /backups/2026-11-16 --trust',
    ],
    load: async () => (await import('../commands/restore.ts')).restore,
  },
  {
    name: 'migrate-store',
    summary: 'Move an installation from SQLite to PostgreSQL, and media to S3',
    about:
      'The server must be stopped. Copies everything in DATA_DIR to the empty database of DATABASE_URL and, if MEDIA_URL is set, media to that store; compares both sides; then renames atelier.db, so that the old installation cannot be started by mistake. If it is interrupted, repeat it.',
    examples: ['DATABASE_URL=postgres://… MEDIA_URL=s3://… atelier migrate-store'],
    load: async () => (await import('../commands/migrate-store.ts')).migrateStore,
  },
]
