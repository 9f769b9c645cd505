import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../../journeys/generation/setting.ts'
import { allEnded, attemptsIn, audit, openWorld, submit, tasksIn, type World } from './setting.ts'

/** Of those that take work: a process that only serves has a lease too. */
const workers = ({ db }: World) =>
  db.query<{ id: string }>(`select id from workers where role = 'work' order by id`)

const leaseIsOver = (world: World) =>
  eventually(
    () => world.db.query<{ lease_until: number }>('select lease_until from workers'),
    (rows) => rows.every((row) => row.lease_until < Date.now()),
  )

describe('a worker that is held up', () => {
  test('past its lease finds its tasks done by another, and changes nothing', async () => {
    await using world = await openWorld('postgres')
    const { fal, openai, replicate } = world.doubles
    for (const double of Object.values(world.doubles)) await double.plan('succeeded')
    const api = await world.start({ ROLE: 'api' })
    const slow = await world.start({ ROLE: 'worker' })
    const [registered] = await workers(world)
    await fal.script('file', { do: 'hold' })
    await replicate.script('poll', { do: 'hold' })
    await openai.script('submit', { do: 'hold' })
    await submit(api, 'fal', 'task fetched')
    await submit(api, 'replicate', 'task polled')
    await submit(api, 'openai', 'task submitted')
    await Promise.all([
      fal.arrived('file', 1),
      replicate.arrived('poll', 1),
      openai.arrived('submit', 1),
    ])
    slow.pause()
    const other = await world.start({ ROLE: 'worker' })
    await allEnded(world)
    const before = [await tasksIn(world), await attemptsIn(world)]

    // Now it gets all it waited for, and only then learns that it lost its lease.
    await Promise.all([fal.release(), replicate.release(), openai.release()])
    slow.resume()
    await eventually(
      () => workers(world),
      (rows) => rows.length === 2 && rows.every((row) => row.id !== registered?.id),
    )
    // It works on under another name: what it had to say about the old tasks, it has said.
    assert.equal(await other.stop(), 0)
    await submit(api, 'fal', 'task later')
    await allEnded(world)
    const [tasks, attempts] = [await tasksIn(world), await attemptsIn(world)]
    assert.deepEqual([tasks.slice(0, 3), attempts.slice(0, 3)], before)
    assert.deepEqual(
      tasks.map((task) => [task.prompt_preview, task.status]),
      [
        ['task fetched', 'COMPLETED'],
        ['task polled', 'COMPLETED'],
        ['task submitted', 'FAILED'],
        ['task later', 'COMPLETED'],
      ],
    )
    await audit(world, api)
  })

  test('and that nobody replaced loses nothing of what it waits for', async () => {
    await using world = await openWorld('sqlite')
    const { openai } = world.doubles
    await openai.script('submit', { do: 'hold' })
    const server = await world.start()
    await submit(server, 'openai', 'task alone')
    await openai.arrived('submit', 1)
    server.pause()
    await leaseIsOver(world)
    server.resume()
    await eventually(
      () => world.db.query<{ lease_until: number }>('select lease_until from workers'),
      (rows) => rows.some((row) => row.lease_until > Date.now()),
    )
    await openai.release()
    await allEnded(world)
    assert.equal((await tasksIn(world))[0]?.status, 'COMPLETED')
    await audit(world, server)
  })
})

describe('a worker that is asked to stop', () => {
  test('gives back at once what only waits, and keeps what it must still hear', async () => {
    await using world = await openWorld('postgres', {
      LEASE_SECONDS: '600',
      SHUTDOWN_SECONDS: '600',
    })
    const { fal, replicate } = world.doubles
    const api = await world.start({ ROLE: 'api' })
    const leaving = await world.start({ ROLE: 'worker' })
    await Promise.all([replicate.plan('succeeded'), fal.plan('succeeded')])
    const headers = { 'retry-after': '600' }
    await replicate.script('poll', { do: 'refuse', status: 503, headers })
    await fal.script('submit', { do: 'hold' })
    await submit(api, 'fal', 'task heard')
    await fal.arrived('submit', 1)
    await submit(api, 'replicate', 'task waiting')
    await replicate.arrived('poll', 1)
    await world.start({ ROLE: 'worker' })
    const stopped = leaving.stop()
    // Long before the lease or the pause would end, and while the other call is still out.
    await eventually(
      () => tasksIn(world),
      (tasks) => tasks.some((task) => task.prompt_preview === 'task waiting' && task.completed_at),
    )
    await fal.release()
    assert.equal(await stopped, 0)
    await allEnded(world)
    const summary = await audit(world, api)
    assert.deepEqual([summary.completed, summary.jobs], [2, 2])
  })

  test('together with the server loses nothing, and the next one goes on', async () => {
    await using world = await openWorld('sqlite')
    const { fal, replicate } = world.doubles
    await fal.plan('running', 'succeeded')
    await replicate.plan('succeeded')
    await replicate.script('file', { do: 'hold' })
    const server = await world.start({ SHUTDOWN_SECONDS: '0' })
    await submit(server, 'fal', 'task waiting')
    await submit(server, 'replicate', 'task fetched')
    await Promise.all([fal.arrived('poll', 1), replicate.arrived('file', 1)])
    assert.equal(await server.stop(), 0)
    const owned = await world.db.query('select id from tasks where owner is not null')
    assert.deepEqual(owned, [])
    const next = await world.start()
    await allEnded(world)
    const summary = await audit(world, next)
    assert.deepEqual([summary.completed, summary.jobs], [2, 2])
  })
})
