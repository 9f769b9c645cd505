import assert from 'node:assert/strict'
import { constants, DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { connectionTo } from '#store/sqlite/connection.ts'

it('SQLite compiles a statement once, whatever its limit is', () => {
  const database = new DatabaseSync(':memory:')
  using connection = connectionTo(database, [])
  connection.all('create table notes (id integer primary key, queue text, owner text)')
  connection.all('create index notes_by_queue on notes (queue) where owner is null')
  connection.all(`insert into notes values (1, 'a', null), (2, 'a', null), (3, 'a', null)`)
  let compiled = 0
  // Asked about everything that a statement does while it is compiled, and not when it is executed.
  database.setAuthorizer(() => {
    compiled++
    return constants.SQLITE_OK
  })
  const listed = (limit: number) =>
    connection
      .all<{ id: number }>(
        'select id from notes where queue = $1 and owner is null order by id LIMIT $2',
        ['a', limit],
      )
      .map(({ id }) => id)
  const claimed = (limit: number) =>
    connection.all(
      `update notes set owner = $1 where id in
         (select id from notes where queue = $2 and owner is null limit $3) returning id`,
      ['w', 'a', limit],
    ).length

  assert.deepEqual(listed(1), [1])
  assert.equal(claimed(0), 0)
  const first = compiled
  assert.notEqual(first, 0)
  assert.deepEqual(listed(2), [1, 2])
  assert.equal(claimed(2), 2)
  assert.deepEqual(listed(2), [3])
  assert.equal(compiled, first)
})
