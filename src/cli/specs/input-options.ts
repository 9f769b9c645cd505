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
