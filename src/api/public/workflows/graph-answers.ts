import { Type } from '#core/schema.ts'
import { Closed, NamedRecord, OneOf } from '../../schemas.ts'

const item = (codes: readonly string[]) =>
  Closed({
    code: OneOf(codes),
    message: Type.String({ description: 'What is wrong and how to fix it.' }),
    path: Type.String({ description: 'JSON Pointer into data.' }),
    nodeId: Type.Optional(Type.String()),
    connectionIndex: Type.Optional(Type.Integer({ minimum: 0 })),
  })

export const UnsupportedNodes = Type.Array(
  NamedRecord('UnsupportedNode', {
    nodeId: Type.String(),
    type: Type.String(),
    reason: OneOf([
      'BROWSER_ONLY',
      'MODEL_UNAVAILABLE',
      'PROVIDER_NOT_CONFIGURED',
      'SUBWORKFLOW_UNSUPPORTED',
    ]),
    message: Type.String(),
  }),
  { description: 'Nodes that may not execute on the server: check before running.' },
)

export const Validation = NamedRecord('Validation', {
  valid: Type.Boolean(),
  errors: Type.Array(
    item([
      'INVALID_NODE',
      'DUPLICATE_NODE_ID',
      'UNKNOWN_NODE_TYPE',
      'INVALID_CONFIG',
      'INVALID_EXPRESSION',
      'INVALID_CONNECTION',
      'UNKNOWN_NODE',
      'UNKNOWN_PORT',
      'PORT_TYPE_MISMATCH',
      'PORT_ALREADY_CONNECTED',
      'DUPLICATE_CONNECTION',
      'REQUIRED_PORT_UNCONNECTED',
      'CYCLE',
      'TOO_MANY_NODES',
      'TOO_MANY_CONNECTIONS',
      'SUBWORKFLOW_NOT_FOUND',
      'SUBWORKFLOW_RECURSION',
    ]),
    { maxItems: 100 },
  ),
  warnings: Type.Array(
    item([
      'NO_OUTPUT',
      'UNREACHABLE_NODE',
      'MODEL_UNAVAILABLE',
      'MODEL_RETIRING',
      'UNSUPPORTED_NODE',
      'UNKNOWN_SETTING',
      'UNRESOLVED_PLACEHOLDER',
      'CREDENTIAL_NOT_FOUND',
      'CREDENTIAL_NOT_ALLOWED',
    ]),
  ),
  unsupportedNodes: UnsupportedNodes,
  nodeCount: Type.Integer({ minimum: 0 }),
  connectionCount: Type.Integer({ minimum: 0 }),
})
