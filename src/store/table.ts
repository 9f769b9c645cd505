// A table is declared once: the type of its records, the columns a statement names and how they are
// read all follow from that. JSON in a text column is decoded here and nowhere else, and only in
// the columns a selection names: what nobody reads is not decoded.

import type { Param, Reader, Writer } from './db.ts'
import type { Cell, ColumnType } from './dialect.ts'

export type Column<Value> = {
  readonly type: ColumnType | 'real' | 'bytes'
  /** If absent, values stay as the database returns them. Never called with null. */
  decode?(text: string): unknown
  /** Exists only in the types. */
  readonly value?: Value
}

/** JSON that may be long and is not always needed: decoded when `value` is first read. */
export type LazyJson<Value> = { readonly text: string; readonly value: Value }

export const uuid: Column<string> = { type: 'uuid' }
export const integer: Column<number> = { type: 'integer' }
export const bigint: Column<number> = { type: 'bigint' }
export const real: Column<number> = { type: 'real' }
/** Sealed secrets: opened by whoever holds the key, never decoded here. */
export const bytes: Column<Uint8Array> = { type: 'bytes' }
/** Milliseconds since 1970. */
export const time: Column<number> = { type: 'bigint' }
export const text = <Value extends string = string>(): Column<Value> => ({ type: 'text' })
export const json = <Value>(): Column<Value> => ({ type: 'text', decode: JSON.parse })
export const lazyJson = <Value>(): Column<LazyJson<Value>> => ({
  type: 'text',
  decode: (text) => new Lazy(text),
})
export const orNull = <Value>(column: Column<Value>): Column<Value | null> =>
  column as Column<Value | null>

export type RecordOf<Columns> = {
  -readonly [name in keyof Columns]: Columns[name] extends Column<infer Value> ? Value : never
}

declare const stored: unique symbol
/** A row as the database returns it. `read` turns it into a record. */
export type Stored<Row> = { readonly [stored]: Row }

/** Some columns of a table, and the record they form. */
export type Selection<Row> = {
  /** For `select` and `returning`. */
  readonly columns: string
  /** The same, where the statement gives the table an alias. */
  of(alias: string): string
  /** Decodes rows fresh from the database, in place. */
  read(rows: readonly Stored<Row>[]): Row[]
  query(db: Reader, sql: string, params?: readonly Param[]): Promise<Row[]>
  write(db: Writer, sql: string, params?: readonly Param[]): Promise<Row[]>
  /**
   * The same rows as a union by state. Nothing is checked: each statement of the store that moves a
   * row to another state sets all columns of that state.
   */
  states<State extends Row>(): Selection<State>
  /** For statements that return columns of other tables too, which need no decoding. */
  beside<Other>(): Selection<Row & Other>
}

export type Row<Of> = Of extends Selection<infer Row> ? Row : never

export type Table<Columns> = {
  readonly all: Selection<RecordOf<Columns>>
  select<Name extends keyof Columns & string>(
    ...names: Name[]
  ): Selection<Pick<RecordOf<Columns>, Name>>
  without<Name extends keyof Columns & string>(
    ...names: Name[]
  ): Selection<Omit<RecordOf<Columns>, Name>>
  /** Converts a record to values that the database takes. */
  encode<Name extends keyof Columns>(record: Pick<RecordOf<Columns>, Name>): Record<Name, Cell>
  /** The types of these columns, for statements that write many rows. */
  types<Name extends keyof Columns & string>(...names: Name[]): Record<Name, ColumnType>
}

export function table<const Columns extends Record<string, Column<unknown>>>(
  columns: Columns,
): Table<Columns> {
  const all = Object.keys(columns)
  const encoded = all.filter((name) => columns[name]?.decode)
  return {
    all: selectionOf(columns, all),
    select: (...names) => selectionOf(columns, names),
    without: (...names) =>
      selectionOf(
        columns,
        all.filter((name) => !(names as string[]).includes(name)),
      ),
    encode: (record) => {
      const cells: Record<string, unknown> = { ...record }
      for (const name of encoded) {
        if (cells[name] !== undefined && cells[name] !== null)
          cells[name] = JSON.stringify(cells[name])
      }
      return cells as never
    },
    types: (...names) =>
      Object.fromEntries(names.map((name) => [name, columns[name]?.type])) as never,
  }
}

function selectionOf<Row>(
  columns: Readonly<Record<string, Column<unknown>>>,
  names: readonly string[],
): Selection<Row> {
  const decoders = names.flatMap((name) => {
    const decode = columns[name]?.decode
    return decode ? [[name, decode] as const] : []
  })
  function read(rows: readonly Stored<Row>[]): Row[] {
    for (const row of rows as unknown as Record<string, unknown>[]) {
      for (const [name, decode] of decoders) {
        const held = row[name]
        if (held !== null) row[name] = decode(held as string)
      }
    }
    return rows as unknown as Row[]
  }
  const selection: Selection<Row> = {
    columns: names.join(', '),
    of: (alias) => names.map((name) => `${alias}.${name}`).join(', '),
    read,
    query: async (db, sql, params) => read(await db.query(sql, params)),
    write: async (db, sql, params) => read(await db.write(sql, params)),
    states: <State extends Row>() => selection as unknown as Selection<State>,
    beside: <Other>() => selection as unknown as Selection<Row & Other>,
  }
  return selection
}

/** A class, because V8 makes a hidden class for every object with an accessor of its own. */
class Lazy implements LazyJson<unknown> {
  readonly text: string
  #decoded: { value: unknown } | undefined = undefined

  constructor(text: string) {
    this.text = text
  }

  get value(): unknown {
    this.#decoded ??= { value: JSON.parse(this.text) }
    return this.#decoded.value
  }
}
