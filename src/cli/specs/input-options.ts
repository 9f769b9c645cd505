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
