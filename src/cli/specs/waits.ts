import type { Command, Option } from '../command.ts'

const runId = { name: 'RUN_ID', kind: 'one', help: 'As "waits list" shows it.' } as const
const scope =
  'The key needs the scope waits:answer, which none has by default: make one with "keys create --scope waits:answer --scope runs:read".'
const answering: Record<string, Option> = {
  wait: {
    kind: 'text',
    value: 'WAIT_ID',
    help: 'Which, if the run waits for several. Default: the only one.',
  },
  response: { kind: 'text', value: 'JSON', help: 'What the form asks for.' },
  value: { kind: 'text', value: 'JSON', help: 'Replaces the value, if the node allows that.' },
  comment: { kind: 'text', value: 'TEXT', help: 'Shown with the answer.' },
}

export const waitCommands: readonly Command[] = [
  {
    name: 'waits list',
    summary: 'List the approvals and messages that runs wait for, oldest first',
    options: {
      mine: { kind: 'flag', help: 'Only what the key may decide.' },
      workflow: { kind: 'integer', value: 'ID', help: 'Of this workflow.' },
      search: { kind: 'text', value: 'TEXT', help: 'Part of the title or the workflow’s name.' },
    },
    load: async () => (await import('../commands/waits.ts')).listWaits,
  },
  {
    name: 'waits approve',
    summary: 'Approve what a run waits for',
    about: `The run goes on. The same answer again is answered as before. ${scope}`,
    positionals: [runId],
    options: answering,
    load: async () => (await import('../commands/waits.ts')).approveWait,
  },
  {
    name: 'waits reject',
    summary: 'Reject what a run waits for',
    about: `The run goes on by its branch for that. ${scope}`,
    positionals: [runId],
    options: answering,
    load: async () => (await import('../commands/waits.ts')).rejectWait,
  },
]
