// How Google's API reads JSON: names in camelCase or snake_case, and one value where a list of one
// is meant.
import { FieldProblem, type Fields, type Read, record, within } from '../field-table.ts'

/** A record with its names in camelCase. */
export const fields: Read<Fields> = (value) => {
  const given = record(value)
  for (const name in given) if (isSnake(name)) return renamed(given)
  return given
}

const isSnake = (name: string): boolean => name.indexOf('_', 1) > 0

export const camelCase = (name: string): string =>
  isSnake(name)
    ? name[0] + name.slice(1).replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : name

function renamed(given: Fields): Fields {
  const read: Fields = {}
  for (const [name, value] of Object.entries(given)) {
    const camel = camelCase(name)
    if (Object.hasOwn(read, camel)) throw new FieldProblem(`has ${camel} twice`)
    read[camel] = value
  }
  return read
}

/** A list, or the only entry of it. */
export const several =
  <Value>(read: Read<Value>): Read<Value[]> =>
  (value) =>
    Array.isArray(value)
      ? value.map((one: unknown, index) => within(index, () => read(one)))
      : [read(value)]
