// Types that hold a table of fields against the request types of a vendor's SDK.
import type { Row } from '#compat/field-table.ts'

type Keys<Union> = Union extends unknown ? keyof Union : never

/** A row for each field that any member of the union has. */
export type Decided<Union, Elsewhere extends string = never> = Record<
  Exclude<Keys<Union>, Elsewhere>,
  { use: Row<never>['use'] }
>

type KindOf<Union> = Union extends { type: infer Kind extends string } ? Kind : never

/** For each kind of a union a row for each of its fields, or a decision on the whole of it. */
export type DecidedKinds<Union extends { type: string }> = {
  [Kind in KindOf<Union>]: Decided<Extract<Union, { type: Kind }>> | { use: 'refused' | 'whole' }
}

/** What is said of every row of all tables, by its name. */
export function everyRow(tables: Record<string, object>): [string, string][] {
  return Object.entries(tables).flatMap(([name, table]) => rowsIn(name, table))
}

function rowsIn(name: string, table: object): [string, string][] {
  if (!('use' in table)) {
    return Object.entries(table).flatMap(([field, row]) => rowsIn(`${name}.${field}`, row))
  }
  const { to, why, say } = table as { to?: string; why?: string; say?: string }
  return [[name, to ?? why ?? say ?? '']]
}
