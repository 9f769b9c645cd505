import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { StoreUnavailable } from '#store/db.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { createDatabase, patientDatabase } from '../../support/databases.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

const certificate = (name: string) =>
  fileURLToPath(new URL(`../../support/certificates/${name}`, import.meta.url))

describe('servers of PostgreSQL', () => {
  let server: PostgresServer
  before(async () => {
    server = await startPostgres({ fsync: 'off' })
  })
  after(() => server?.stop())

  async function administer<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
    const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} })
    try {
      return await work(sql)
    } finally {
      await sql.end()
    }
  }
  async function database(t: TestContext): Promise<string> {
    const { url, drop } = await createDatabase(server.url)
    t.after(drop)
    return url
  }

  /** As after a failover: every connection is cut, and new ones are to a standby. */
  const setReadOnly = (url: string, value: 'on' | 'off') =>
    administer(server.url, async (sql) => {
      const name = new URL(url).pathname.slice(1)
      await sql.unsafe(`alter database ${name} set default_transaction_read_only = ${value}`)
      await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name}`
    })

  it('one that became read-only counts as away until it can be written to again', async (t) => {
    const url = await database(t)
    const away = Promise.withResolvers<unknown>()
    const back = Promise.withResolvers<void>()
    await using db = openPostgres({
      url,
      poolSize: 2,
      onUnavailable: away.resolve,
      onRecovered: back.resolve,
    })
    await db.write('create table things (name text)')
    await setReadOnly(url, 'on')
    await away.promise
    await assert.rejects(db.query('select 1 as one'), StoreUnavailable)
    await assert.rejects(db.write("insert into things values ('lost')"), StoreUnavailable)
    await setReadOnly(url, 'off')
    await untilBack(() => db.write("insert into things values ('kept')"))
    await back.promise
    assert.deepEqual(await db.query('select name from things'), [{ name: 'kept' }])
  })

  it('a connection on which a write is refused as read-only is not used again', async (t) => {
    const url = await database(t)
    const away = Promise.withResolvers<unknown>()
    await using db = openPostgres({ url, poolSize: 1, onUnavailable: away.resolve })
    await db.write('create table things (name text)')
    await db.transaction((tx) =>
      tx.query('set session characteristics as transaction read only').then(() => undefined),
    )
    await assert.rejects(db.write("insert into things values ('lost')"), StoreUnavailable)
    await away.promise
    await db.write("insert into things values ('kept')")
  })

  it('of several hosts the one that can be written to is found', async (t) => {
    const url = new URL(await database(t))
    const standby = await startPostgres({ fsync: 'off' })
    t.after(() => standby.stop())
    const name = url.pathname.slice(1)
    await administer(standby.url, async (sql) => {
      await sql.unsafe(`alter role postgres password '${url.password}'`)
      await sql.unsafe(`create database ${name}`)
      await sql.unsafe(`alter database ${name} set default_transaction_read_only = on`)
    })
    const hosts = [new URL(standby.url).host, url.host].join(',')
    await using db = openPostgres({
      url: url.href.replace(url.host, hosts),
      poolSize: 2,
      ...patientDatabase,
    })
    await untilBack(() => db.write('create table things (name text)'))
    await db.write("insert into things values ('kept')")
    assert.deepEqual(await db.query('select name from things'), [{ name: 'kept' }])
  })
  async function untilBack(work: () => Promise<unknown>): Promise<void> {
    for (;;) {
      const failure = await work().then(
        () => undefined,
        (error) => ({ error }),
      )
      if (!failure) return
      if (!(failure.error instanceof StoreUnavailable)) throw failure.error
    }
  }

  it('a certificate is checked as sslmode says', async (t) => {
    const url = new URL(await database(t))
    await useTls()
    const answers = async (hostname: string, settings: string) => {
      url.hostname = hostname
      await using db = openPostgres({ url: `${url}?${settings}`, poolSize: 2 })
      const [row] = await db.query<{ is_safe: number }>(
        'select ssl as is_safe from pg_stat_ssl where pid = pg_backend_pid()',
      )
      return row?.is_safe === 1
    }
    const trusted = `sslrootcert=${certificate('ca.pem')}`
    assert.ok(await answers('localhost', `sslmode=verify-full&${trusted}`))
    assert.ok(await answers('127.0.0.1', `sslmode=verify-ca&${trusted}`))
    assert.ok(await answers('127.0.0.1', 'sslmode=require'))
    await assert.rejects(answers('127.0.0.1', `sslmode=verify-full&${trusted}`), StoreUnavailable)
    await assert.rejects(answers('localhost', 'sslmode=verify-full'), StoreUnavailable)
    await assert.rejects(answers('localhost', 'sslmode=verify-ca'), StoreUnavailable)
    assert.ok(!(await answers('127.0.0.1', 'sslmode=disable')))
  })

  const useTls = () =>
    administer(server.url, async (sql) => {
      const [folder] = await sql<{ path: string }[]>`select setting as path from pg_settings
        where name = 'data_directory'`
      for (const name of ['server.key', 'server.pem']) {
        const lines = (await readFile(certificate(name), 'utf8')).trimEnd().split('\n')
        const program = `umask 077; cat > "${folder?.path}/${name}"`
        await sql`create temporary table if not exists file (line text)`
        await sql`truncate file`
        for (const line of lines) await sql`insert into file values (${line})`
        await sql.unsafe(`copy file to program '${program}'`)
      }
      await sql.unsafe(`alter system set ssl_cert_file = 'server.pem'`)
      await sql.unsafe(`alter system set ssl_key_file = 'server.key'`)
      await sql.unsafe(`alter system set ssl = on`)
      await sql`select pg_reload_conf()`
    })
})
