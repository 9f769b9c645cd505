// The fields of a form that a JSON Schema describes, as HTML without scripts, and the answer that a
// browser sends back. What no simple field can hold is written as JSON. The schema itself is checked
// elsewhere: here a wrong text stays as it is, so that the check can say what is wrong with it.
import { isRecord } from '#core/record.ts'
import { escapeHtml as e } from '../pages/page.ts'

type Schema = Record<string, unknown>
type Field = { name: string; schema: Schema; isRequired: boolean }

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Longer texts get several lines. */
const oneLineChars = 200

function fieldsOf(form: object): Field[] {
  const { properties, required } = form as Schema
  const needed = Array.isArray(required) ? required : []
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    schema: isRecord(schema) ? schema : {},
    isRequired: needed.includes(name),
  }))
}

/** Names of fields of the page itself cannot collide with those of the form. */
const inputName = (name: string) => `r.${name}`

export const formFields = (form: object, given: URLSearchParams | null): string =>
  fieldsOf(form)
    .map((field) => fieldHtml(field, given?.get(inputName(field.name)) ?? null))
    .join('\n')

function fieldHtml(field: Field, given: string | null): string {
  const { name, schema, isRequired } = field
  const label = e(text(schema.title) || name)
  const hint = schema.description ? `<small>${e(text(schema.description))}</small>` : ''
  if (schema.type === 'boolean') {
    const isOn = given === null ? schema.default === true : given === 'on'
    const box = `<input type="checkbox" name="${e(inputName(name))}"${isOn ? ' checked' : ''}>`
    return `<label class="choice">${box} <span>${label} ${hint}</span></label>`
  }
  const mark = isRequired ? '' : ' <small>(optional)</small>'
  const control = controlHtml(field, given ?? shownDefault(schema))
  return `<label><span>${label}${mark}</span>${control}${hint}</label>`
}

function shownDefault({ default: value, type }: Schema): string {
  if (value === undefined) return ''
  return typeof value === 'string' && type === 'string' ? value : JSON.stringify(value)
}

function controlHtml({ name, schema, isRequired }: Field, value: string): string {
  const attributes = `name="${e(inputName(name))}"${isRequired ? ' required' : ''}`
  if (Array.isArray(schema.enum)) return selectHtml(schema.enum, attributes, value)
  const isNumber = schema.type === 'number' || schema.type === 'integer'
  if (isNumber) {
    const step = schema.type === 'integer' ? '1' : 'any'
    return `<input type="number" step="${step}" ${attributes}${boundsOf(schema)} value="${e(value)}">`
  }
  const isLong = Number(schema.maxLength ?? oneLineChars) > oneLineChars
  if (schema.type === 'string' && !isLong) {
    return `<input type="text" ${attributes} value="${e(value)}">`
  }
  return `<textarea rows="4" ${attributes}>${e(value)}</textarea>`
}

const boundsOf = ({ minimum, maximum }: Schema): string =>
  [
    typeof minimum === 'number' ? ` min="${minimum}"` : '',
    typeof maximum === 'number' ? ` max="${maximum}"` : '',
  ].join('')

function selectHtml(choices: readonly unknown[], attributes: string, value: string): string {
  const options = choices.map((choice) => {
    const key = typeof choice === 'string' ? choice : JSON.stringify(choice)
    return `<option value="${e(key)}"${key === value ? ' selected' : ''}>${e(key)}</option>`
  })
  return `<select ${attributes}><option value=""></option>${options.join('')}</select>`
}

/** What the form asks for, from the fields that a browser sent. */
export function readFormFields(form: object, sent: URLSearchParams): Record<string, unknown> {
  const response: Record<string, unknown> = {}
  for (const { name, schema } of fieldsOf(form)) {
    const given = sent.get(inputName(name))
    if (schema.type === 'boolean') response[name] = given === 'on'
    // An empty field was not filled in.
    else if (given !== null && given !== '') response[name] = readField(schema, given)
  }
  return response
}

function readField(schema: Schema, given: string): unknown {
  if (Array.isArray(schema.enum)) {
    const isIt = (choice: unknown) =>
      (typeof choice === 'string' ? choice : JSON.stringify(choice)) === given
    return schema.enum.find(isIt) ?? given
  }
  if (schema.type === 'string') return given.replaceAll('\r\n', '\n')
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}
