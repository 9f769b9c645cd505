import type { Command } from '../command.ts'
import { inputOptions } from './input-options.ts'

const triggerId = { name: 'TRIGGER_ID', kind: 'one', help: 'As "triggers list" shows it.' } as const
const load = async () => import('../commands/triggers.ts')

export const triggerCommands: readonly Command[] = [
  {
    name: 'triggers list',
    summary: 'List what starts runs by itself, with the next time and the last firing',
    options: {
      workflow: { kind: 'text', value: 'WORKFLOW_ID', help: 'Only those of this workflow.' },
    },
    load: async () => (await load()).listTriggers,
  },
  {
    name: 'triggers create',
    summary: 'Start runs of a workflow by a schedule, once, or by a webhook',
    about:
      'Choose one of --cron, --every, --at and --webhook. The address of a webhook is printed once: only its hash is stored.',
    positionals: [{ name: 'WORKFLOW_ID', kind: 'one', help: 'As "workflow list" shows it.' }],
    options: {
      cron: {
        kind: 'text',
        value: 'FIELDS',
        help: 'A cron expression of five fields, such as "0 9 * * 1".',
      },
      zone: {
        kind: 'text',
        value: 'ZONE',
        help: 'Of --cron, such as Europe/Berlin. Default: UTC.',
      },
      every: { kind: 'integer', value: 'SECONDS', help: 'At least 60.' },
      at: { kind: 'text', value: 'TIME', help: 'Once, such as 2027-01-01T09:00:00Z.' },
      webhook: { kind: 'flag', help: 'Whenever a request is sent to its address.' },
      settings: {
        kind: 'text',
        value: 'FILE',
        help: 'All other settings as a JSON object, from a file or from standard input (-).',
      },
      name: { kind: 'text', value: 'NAME', help: 'Default: what it does.' },
      ...inputOptions,
    },
    examples: ['triggers create 7 --cron "0 9 * * 1" --zone Europe/Berlin --input topic=news'],
    load: async () => (await load()).createTrigger,
  },
  {
    name: 'triggers on',
    summary: 'Switch a trigger on, also after a pause',
    positionals: [triggerId],
    load: async () => (await load()).switchOn,
  },
  {
    name: 'triggers off',
    summary: 'Switch a trigger off; what it misses meanwhile is not caught up',
    positionals: [triggerId],
    load: async () => (await load()).switchOff,
  },
  {
    name: 'triggers fire',
    summary: 'Fire a trigger now',
    positionals: [triggerId],
    load: async () => (await load()).fireTrigger,
  },
  {
    name: 'triggers firings',
    summary: 'List what a trigger did: its runs, or why there is none',
    positionals: [triggerId],
    load: async () => (await load()).listFirings,
  },
  {
    name: 'triggers delete',
    summary: 'Delete a trigger',
    positionals: [triggerId],
    load: async () => (await load()).deleteTrigger,
  },
]
