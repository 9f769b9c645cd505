import { isRecord } from '#core/record.ts'
import { Type } from '#core/schema.ts'
import { VerifyConfig, verifyProblems } from '#core/verify-config.ts'
import { known, local, unknownValue } from '../node/guess.ts'
import { inspectConfig } from '../node/inspect-config.ts'
import { type Config as Data, defineNode, type NodeExecution } from '../node/node-type.ts'
import { schemaForAjv, userSchemaProblem } from '../node/user-schema.ts'
import { defaultExpirySeconds, ExpiresAfterSeconds, schemaProblems } from '../node/wait-settings.ts'
import { httpRequest } from './http-request.ts'

type Config = {
  request?: Data
  schema?: object
  expiresAfterSeconds?: number
  verify?: VerifyConfig
}

export const waitCallback = defineNode<Config>({
  type: 'wait.callback',
  canvas: {
    label: 'Callback',
    group: 'flow',
    icon: 'webhook',
    help: 'Waits until another system sends a message to an address made for this wait. Meanwhile the run sleeps and costs nothing.',
  },
  config: Type.Object({
    request: Type.Optional(
      Type.Object(
        {},
        {
          description:
            'Settings of an http.request that is sent once the wait is stored. {{callbackUrl}} is the address to answer to, {{value}} the value; its body is the value with callbackUrl.',
        },
      ),
    ),
    schema: Type.Optional(
      Type.Object(
        {},
        { description: 'JSON Schema 2020-12 of the message; it may refer only to itself.' },
      ),
    ),
    expiresAfterSeconds: ExpiresAfterSeconds,
    verify: Type.Optional(VerifyConfig),
  }),
  pure: false,
  branches: true,
  waits: () => true,
  ports: () => ({
    inputs: [{ name: 'value', type: 'any', required: false }],
    outputs: [
      { name: 'body', type: 'json', optional: true },
      { name: 'expired', type: 'any', optional: true },
    ],
  }),
  check({ request, schema, verify }, env) {
    const sent = request ? inspectConfig(httpRequest, request, env) : []
    return [
      ...sent.map(({ path, message }) => ({
        path: `/request${path}`,
        message: `request: ${message}`,
      })),
      ...schemaProblems('schema', schema),
      ...(verify ? verifyProblems(verify) : []).map(({ path, message }) => ({
        path: `/verify${path}`,
        message,
      })),
    ]
  },
  placeholders: ({ request }) =>
    (isRecord(request) ? (httpRequest.placeholders?.(request) ?? []) : []).map((one) => ({
      ...one,
      path: `/request${one.path}`,
      from: 'value',
      given: ['value', 'callbackUrl'],
    })),
  userSchema: ({ schema }) =>
    isRecord(schema) && !userSchemaProblem(schema) ? { schema: schemaForAjv(schema) } : null,
  credential({ request }, env) {
    const found = (isRecord(request) && httpRequest.credential?.(request, env)) || null
    return found && { ...found, path: `/request${found.path}` }
  },
  estimate: ({ config, inputs }) => ({
    ...local({ body: unknownValue(), expired: inputs.ports.value ?? known(null) }, [
      'Whether the message comes in time is known only at run time: nodes behind it count as 0 in lowCost and fully otherwise.',
    ]),
    calls: config.request ? 1 : 0,
  }),
  async execute(context, { ports: { value = null } }, config) {
    const { request, schema, verify, expiresAfterSeconds = defaultExpirySeconds } = config
    const end = await context.wait({
      kind: 'CALLBACK',
      title: '',
      value,
      time: { afterMs: expiresAfterSeconds * 1000 },
      details: { schema, verify },
      async onOpen({ callbackUrl }) {
        if (!request) return
        const vars = isRecord(value) ? { ...value, value, callbackUrl } : { value, callbackUrl }
        const body = isRecord(value) ? { ...value, callbackUrl } : { value, callbackUrl }
        // If it was sent and its answer is lost, the message will come, or the wait expires.
        const sending: NodeExecution = {
          ...context,
          httpRequest: (call) => context.httpRequest({ ...call, mayBeLost: true }),
        }
        await httpRequest.execute?.(sending, { ports: { vars, body }, merged: [] }, request)
      },
    })
    return end.status === 'ANSWERED' ? { body: end.answer.response ?? null } : { expired: value }
  },
})
