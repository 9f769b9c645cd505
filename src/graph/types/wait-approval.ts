import { isRecord } from '#core/record.ts'
import { Type } from '#core/schema.ts'
import { known, local, unknownValue } from '../node/guess.ts'
import { type ConfigProblem, defineNode, type NodeOutputs } from '../node/node-type.ts'
import { schemaForAjv, userSchemaProblem } from '../node/user-schema.ts'
import type { WaitEnd } from '../node/wait-request.ts'
import { defaultExpirySeconds, ExpiresAfterSeconds, schemaProblems } from '../node/wait-settings.ts'

type Config = {
  title: string
  description?: string
  form?: Record<string, unknown>
  mayEdit?: boolean
  expiresAfterSeconds?: number
  approvers?: string[]
  fourEyes?: boolean
  link?: boolean
}

const optional = { optional: true } as const

export const waitApproval = defineNode<Config>({
  type: 'wait.approval',
  canvas: {
    label: 'Approval',
    group: 'flow',
    icon: 'user-check',
    help: 'Waits until a person approves or rejects the value. Meanwhile the run sleeps and costs nothing.',
    initial: { title: 'Please approve' },
  },
  config: Type.Object({
    title: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'What is asked, in a few words.',
    }),
    description: Type.Optional(
      Type.String({ maxLength: 10_000, description: 'What the person should look at.' }),
    ),
    form: Type.Optional(
      Type.Object(
        {},
        {
          description:
            'JSON Schema 2020-12 of what the person fills in: an object with additionalProperties false.',
        },
      ),
    ),
    mayEdit: Type.Optional(
      Type.Boolean({ default: false, description: 'The person may change the value.' }),
    ),
    expiresAfterSeconds: ExpiresAfterSeconds,
    approvers: Type.Optional(
      Type.Array(Type.String({ minLength: 3, maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$' }), {
        maxItems: 50,
        description: 'E-mail addresses of those who may decide. Default: every editor.',
      }),
    ),
    fourEyes: Type.Optional(
      Type.Boolean({
        default: false,
        title: 'Four eyes',
        description: 'Whoever started the run must not decide.',
      }),
    ),
    link: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Somebody without an account may decide on a page with a secret address. Not with approvers or fourEyes.',
      }),
    ),
  }),
  pure: false,
  waits: () => true,
  ports: () => ({
    inputs: [{ name: 'value', type: 'any', required: true }],
    outputs: [
      { name: 'approved', type: 'any', ...optional },
      { name: 'rejected', type: 'any', ...optional },
      { name: 'expired', type: 'any', ...optional },
      { name: 'response', type: 'json', ...optional },
    ],
  }),
  check: (config) => [
    ...schemaProblems('form', config.form),
    ...formProblems(config),
    ...linkProblems(config),
  ],
  userSchema: ({ form }) =>
    isRecord(form) && !userSchemaProblem(form)
      ? { schema: schemaForAjv(form), setting: 'form' }
      : null,
  estimate({ inputs }) {
    const value = inputs.ports.value ?? known(null)
    const outputs = { approved: value, rejected: value, expired: value, response: unknownValue() }
    return local(outputs, [
      'A person decides: nodes behind it count as 0 in lowCost and fully otherwise.',
    ])
  },
  async execute(context, { ports: { value = null } }, config) {
    const { title, expiresAfterSeconds = defaultExpirySeconds } = config
    const { description, form, mayEdit, approvers, fourEyes, link } = config
    const end = await context.wait({
      kind: 'APPROVAL',
      title,
      value,
      time: { afterMs: expiresAfterSeconds * 1000 },
      details: { description, form, mayEdit, approvers, fourEyes, link },
    })
    return branchOf(end, value)
  },
})

function branchOf(end: WaitEnd, value: unknown): NodeOutputs {
  if (end.status !== 'ANSWERED') return { expired: value }
  const { decision, response = {}, value: edited = value } = end.answer
  return { [decision === 'approve' ? 'approved' : 'rejected']: edited, response }
}

/** An open form would accept members that nobody asked for and that no node expects. */
function formProblems({ form }: Config): ConfigProblem[] {
  if (!form) return []
  const isClosed = form.type === 'object' && form.additionalProperties === false
  const message = 'form must have "type": "object" and "additionalProperties": false'
  return isClosed ? [] : [{ path: '/form', message }]
}

function linkProblems({ link, approvers = [], fourEyes }: Config): ConfigProblem[] {
  if (!link || (approvers.length === 0 && !fourEyes)) return []
  const message = 'link must be false: whoever has the link may decide, whatever their account'
  return [{ path: '/link', message }]
}
