// Which control a setting gets, from its key and JSON Schema. What the schema leaves open is JSON.
import type { Language } from '#console/ui/code-editor.ts'

export type SettingSchema = {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly properties?: Readonly<Record<string, SettingSchema>>
  readonly required?: readonly string[]
  readonly items?: SettingSchema
}

export type SettingKind =
  | { readonly kind: 'model' }
  | { readonly kind: 'workflow' }
  /** For calls to models, of this provider if it is known; otherwise for requests. */
  | { readonly kind: 'credential'; readonly forModel: boolean; readonly provider?: string }
  | {
      readonly kind: 'choice'
      readonly choices: readonly (string | number)[]
      readonly optional?: true
    }
  | { readonly kind: 'switch' }
  | { readonly kind: 'number'; readonly whole: boolean }
  | { readonly kind: 'line' }
  /** A list of words, written with commas between them. */
  | { readonly kind: 'words' }
  | { readonly kind: 'text' }
  | { readonly kind: 'code'; readonly language: Language }
  | { readonly kind: 'group'; readonly properties: Readonly<Record<string, SettingSchema>> }

/** Settings that hold code, by key: their schema only says that they are text. */
const languages: Record<string, Language> = {
  template: 'template',
  expression: 'jsonata',
  until: 'jsonata',
}
/** Long enough for headings and addresses; a longer text gets a field that grows. */
const longestLine = 500

export function settingKind(
  key: string,
  schema: SettingSchema,
  { hasModels, provider }: { hasModels: boolean; provider?: string },
): SettingKind {
  if (key === 'model' && hasModels) return { kind: 'model' }
  if (key === 'workflowId') return { kind: 'workflow' }
  if (key === 'credential') return { kind: 'credential', forModel: hasModels, provider }
  if (schema.enum?.every((value) => typeof value === 'string')) {
    return { kind: 'choice', choices: schema.enum as string[] }
  }
  switch (schema.type) {
    case 'boolean':
      return { kind: 'switch' }
    case 'number':
    case 'integer':
      return { kind: 'number', whole: schema.type === 'integer' }
    case 'string': {
      const language = languages[key]
      const isLine =
        key === 'label' || (schema.maxLength ?? Number.POSITIVE_INFINITY) <= longestLine
      // A delay has a short setting of the same name, which is a time.
      if (language && !(isLine && key === 'until')) return { kind: 'code', language }
      return isLine ? { kind: 'line' } : { kind: 'text' }
    }
    case 'array':
      if (schema.items?.type === 'string') return { kind: 'words' }
      return { kind: 'code', language: 'json' }
    case 'object':
      if (schema.properties && Object.keys(schema.properties).length > 0) {
        return { kind: 'group', properties: schema.properties }
      }
      return { kind: 'code', language: 'json' }
    default:
      return { kind: 'code', language: 'json' }
  }
}

/** If the chosen model says what it offers, the person chooses from that. */
export function offeredBy(
  capabilities: Readonly<Record<string, unknown>> | undefined,
  key: string,
  value: unknown,
): SettingKind | null {
  const offered = offeredValues(capabilities ?? {}, key)
  if (!Array.isArray(offered)) return null
  const choices = offered.filter(
    (choice): choice is string | number => typeof choice === 'string' || typeof choice === 'number',
  )
  if (value !== undefined && !choices.some((choice) => choice === value)) return null
  return { kind: 'choice', choices, optional: true }
}

function offeredValues(capabilities: Readonly<Record<string, unknown>>, key: string): unknown {
  // The only number for which a model may accept certain values only.
  if (key === 'videoSeconds') {
    const { videoSeconds } = capabilities as { videoSeconds?: { values?: number[] } }
    return videoSeconds?.values
  }
  return capabilities[key.endsWith('y') ? `${key.slice(0, -1)}ies` : `${key}s`]
}

/** A default as people read it, or null if there is none. */
export const defaultText = (schema: SettingSchema): string | null =>
  schema.default === undefined
    ? null
    : typeof schema.default === 'string'
      ? schema.default
      : JSON.stringify(schema.default)

/** The words of a list as people type it. */
export const wordsIn = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
