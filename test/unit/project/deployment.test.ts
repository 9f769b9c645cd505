import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { variables } from '../../../src/config.ts'

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')
const { version } = JSON.parse(read('package.json'))

test('the fleet of the compose file is configured with variables the server knows', () => {
  const compose = read('deploy/compose.yaml')
  const shared = /environment: &environment\n((?: {4}\w+: .*\n)+)/.exec(compose)?.[1] ?? ''
  const names = [...shared.matchAll(/^ {4}(\w+):/gm)].map(([, name = '']) => name)
  assert.ok(names.length > 5)
  for (const name of names) assert.ok(name in variables || /^AWS_/.test(name), name)
})

test('everything the compose file asks for is explained in the example of its settings', () => {
  const required = [...read('deploy/compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(
    ([, name]) => name,
  )
  const explained = read('deploy/env.example')
  for (const name of new Set(required)) assert.match(explained, new RegExp(`^${name}=`, 'm'))
})

test('every process of the compose file is asked whether it is ready, at a port it listens on', () => {
  const compose = read('deploy/compose.yaml')
  assert.doesNotMatch(compose, /disable: true/)
  const [, port] = /ROLE: worker, METRICS_LISTEN: '0\.0\.0\.0:(\d+)'/.exec(compose) ?? []
  assert.match(compose, new RegExp(`fetch\\('http://127\\.0\\.0\\.1:${port}/readyz'\\)`))
  // What serves the API has the health check of the image.
  const image = read('Containerfile')
  assert.match(image, /fetch\('http:\/\/127\.0\.0\.1:8787\/readyz'\)/)
  assert.match(image, /^EXPOSE 8787$/m)
})

test('the compose file and the unit name the present version and paths', () => {
  assert.match(read('deploy/compose.yaml'), new RegExp(`image: atelier:${version}$`, 'm'))
  assert.match(read('deploy/atelier.service'), new RegExp(`atelier-${version}\\.tgz`))
  assert.match(read('deploy/atelier.service'), /node_modules\/atelier\/bin\/atelier\.mjs start$/m)
})

test('every process of the compose file is scraped, at the port it listens on', () => {
  const compose = read('deploy/compose.yaml')
  const config = read('deploy/prometheus/prometheus.yaml')
  const alerts = read('deploy/prometheus/alerts.yaml')
  for (const role of ['api', 'worker']) {
    const [, port] =
      new RegExp(`ROLE: ${role}, METRICS_LISTEN: '0\\.0\\.0\\.0:(\\d+)'`).exec(compose) ?? []
    assert.match(config, new RegExp(`names: \\[${role}\\], type: A, port: ${port},`))
    assert.ok(config.includes(`job_name: atelier-${role}\n`))
    assert.ok(alerts.includes(`absent(up{job="atelier-${role}"} == 1)`))
  }
})

test('the proxies ask for readiness often enough to notice a drain', () => {
  const drainSeconds = Number(variables.DRAIN_SECONDS.fallback)
  const caddy = read('deploy/Caddyfile')
  assert.match(caddy, /health_uri \/readyz/)
  assert.ok(Number(/health_interval (\d+)s/.exec(caddy)?.[1]) * 2 < drainSeconds)
  const [, inter, fall] = /check inter (\d+)s fall (\d+)/.exec(read('deploy/haproxy.cfg')) ?? []
  assert.ok((Number(fall) + 1) * Number(inter) < drainSeconds)
  const [, grace] = /stop_grace_period: (\d+)s/.exec(read('deploy/compose.yaml')) ?? []
  const shutdownSeconds = Number(variables.SHUTDOWN_SECONDS.fallback)
  assert.ok(Number(grace) > drainSeconds + shutdownSeconds)
})

test('an answer with 503 takes no process out of nginx', () => {
  // It counts as a failure where it is among the reasons to ask the other process, and two of them
  // would leave nobody to ask: nginx then answers 502 to everybody.
  const nginx = read('deploy/nginx.conf')
  assert.match(nginx, /proxy_next_upstream .*http_503/)
  const servers = [...nginx.matchAll(/^ *server 127\S+(.*);$/gm)].map(([, terms]) => terms?.trim())
  assert.deepEqual(servers, ['max_fails=0', 'max_fails=0'])
})
