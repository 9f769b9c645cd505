// The JSON Schemas of a run's inputs and outputs: version 2020-12, self-contained,
// usable for a form, a validator or a language model.

import type { OutputPort, PortType } from '../node/node-type.ts'
import { embedSchema } from '../node/user-schema.ts'
import { mayBeGiven, mustBeGiven, type Plan, type PlanNode, type Result } from './plan.ts'

const dialect = 'https://json-schema.org/draft/2020-12/schema'

export type JsonSchema = Record<string, unknown>

export function inputSchemaOf(plan: Plan): JsonSchema {
  const nodes = plan.nodes.filter((node) => node.type.inputSchema)
  const made = plan.nodes.filter((node) => mayBeGiven(plan, node))
  return closed(
    [
      ...nodes.map((node): [string, JsonSchema] => [node.id, inputProperty(node)]),
      ...made.map((node): [string, JsonSchema] => [node.id, browserProperty(node)]),
    ],
    nodes.filter(mustBeGiven).map((node) => node.id),
  )
}

export function outputSchemaOf(plan: Plan): JsonSchema {
  return closed(
    plan.results.map((result) => [result.key, resultProperty(result)]),
    plan.results.filter((result) => result.always).map((result) => result.key),
  )
}

const closed = (properties: [string, JsonSchema][], required: string[]): JsonSchema => ({
  $schema: dialect,
  type: 'object',
  properties: Object.fromEntries(properties),
  required,
  additionalProperties: false,
})

function inputProperty({ id, label, type, config, ports }: PlanNode): JsonSchema {
  const schema = embedSchema(type.inputSchema?.(config) ?? {}, `/properties/${id}`)
  return {
    ...schema,
    title: label ?? (typeof schema.title === 'string' ? schema.title : id),
    'x-port-type': ports.outputs[0]?.type ?? 'any',
  }
}

const browserProperty = ({ id, label, typeName }: PlanNode): JsonSchema => ({
  title: label ?? id,
  description: 'The result of this node in the browser. If it is left out, the node is skipped.',
  'x-port-type': 'any',
  'x-browser-node': typeName,
})

function resultProperty({ key, title, fields }: Result): JsonSchema {
  const [only] = fields
  if (fields.length === 1 && only) {
    return { ...portSchema(only), title: title ?? key }
  }
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, portSchema(field)])),
    required: fields.filter((field) => !field.optional).map((field) => field.name),
    additionalProperties: false,
    title: title ?? key,
    'x-port-type': 'json',
  }
}

function portSchema({ type, nullable }: OutputPort): JsonSchema {
  const schema = valueSchema(type)
  const orNull = nullable && schema.type !== undefined ? { type: [schema.type, 'null'] } : {}
  return { ...schema, ...orNull, 'x-port-type': type }
}

function valueSchema(type: PortType): JsonSchema {
  switch (type) {
    case 'text':
      return { type: 'string' }
    case 'number':
    case 'boolean':
      return { type }
    case 'list':
      return { type: 'array' }
    case 'image':
    case 'video':
      return mediaSchema
    case 'json':
    case 'any':
      return {}
    default:
      return type satisfies never
  }
}

const mediaSchema: JsonSchema = {
  type: 'object',
  properties: {
    url: {
      type: 'string',
      format: 'uri',
      description: 'Signed, valid 24 h; read the run again for a new one.',
    },
    mimeType: { type: 'string' },
    sizeBytes: { type: 'integer', minimum: 0 },
    width: { type: 'integer', minimum: 1 },
    height: { type: 'integer', minimum: 1 },
    durationSeconds: { type: 'number', minimum: 0 },
    hasAudio: { type: 'boolean' },
  },
  required: ['url', 'mimeType', 'sizeBytes'],
  additionalProperties: false,
}
