import type { Option } from '../command.ts'

/** How commands take the inputs of a workflow. */
export const inputOptions: Record<string, Option> = {
  input: {
    kind: 'list',
    value: 'NAME=VALUE',
    help: 'One input, read as the workflow declares it; NAME=@FILE reads the content of a file. May be repeated.',
  },
  inputs: {
    kind: 'text',
    value: 'FILE',
    help: 'All inputs as a JSON object, from a file or from standard input (-). --input overrides single inputs.',
  },
}

/** Which nodes run, and which of their answers are known already. */
export const partOptions: Record<string, Option> = {
  reuse: {
    kind: 'flag',
    help: 'Take over answers of earlier runs wherever the same request would be sent.',
  },
  only: {
    kind: 'list',
    value: 'NODE',
    help: 'Run only this node and what it needs. May be repeated.',
  },
}

/** Text calls may wait for batches of their vendors, which cost about half. */
export const economyOptions: Record<string, Option> = {
  economy: {
    kind: 'flag',
    help: 'Let text calls wait for batches of their vendors, at about half the price.',
  },
  deadline: {
    kind: 'text',
    value: 'TIME',
    help: 'With --economy: when all must have ended, as 36h, 2d or 2026-12-01T09:00:00Z.',
  },
}
