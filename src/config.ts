// The only reader of the environment. Each variable is declared once, with its default and the
// sentence that docs/configuration.md prints. A bad value stops the start with an error that names
// the variable.
import { BlockList, isIP } from 'node:net'
import { resolve } from 'node:path'
import {
  BadValue,
  choice,
  cidrs,
  count,
  databaseUrl,
  httpUrl,
  key32,
  listenAddress,
  origins,
  pairs,
  ratio,
  secret,
  text,
  type Variable,
  waiting,
  working,
} from '#core/setting-kinds.ts'

export const variables = {
  PORT: count('8787', 'Port to listen on; 0 picks a free one.', 0, 65_535),
  HOST: text(
    '127.0.0.1',
    'Address to listen on. `0.0.0.0` serves other machines: put TLS in front.',
  ),
  BASE_URL: httpUrl(
    '',
    'Public URL of this service, as clients use it. Default: `http://HOST:PORT`.',
  ),
  DATA_DIR: text('./data', 'Folder of the embedded database, media files and keys.'),
  DATABASE_URL: databaseUrl(
    'Unset: SQLite in DATA_DIR. `postgres://user:password@host/database`: PostgreSQL.',
  ),
  DATABASE_DIRECT_URL: databaseUrl(
    'Set if DATABASE_URL leads to a pooler in transaction mode: the URL of the database itself, over which the server waits for notifications.',
  ),
  DATABASE_POOL: count('10', 'PostgreSQL connections per process.', 2, 1_000),
  ROLE: choice(
    ['all', 'api', 'worker'],
    'all',
    'What this process does: serve, work, or both. `api` and `worker` need PostgreSQL.',
  ),
  SECRET_KEY: key32(
    'Base64 of 32 bytes that encrypt stored secrets and sign media URLs. Unset: generated once and kept in `DATA_DIR/secret.key`. All processes on one database need the same key.',
  ),
  SECRET_KEY_OLD: key32(
    'The key that SECRET_KEY replaces (docs/operating.md): accepted for reading, while everything is encrypted again.',
  ),
  MEDIA_URL: {
    fallback: '',
    secret: true,
    help: 'Unset: files in DATA_DIR. `s3://bucket/prefix?region=…&endpoint=…&pathStyle=1`: an S3-compatible store; credentials come from the usual AWS variables.',
    parse: (t: string) => {
      if (t !== '' && !/^s3:\/\/[^/?]+/.test(t))
        throw new BadValue('must look like s3://bucket/prefix')
      return t
    },
  } satisfies Variable<string>,
  MEDIA_MAX_BYTES: count('536870912', 'Largest media file accepted from a provider, in bytes.', 1),
  OPENAI_API_KEY: secret('Enables the OpenAI models. Several keys: eu=KEY,us=KEY.'),
  OPENAI_BASE_URL: httpUrl(
    'https://api.openai.com/v1',
    'Another base URL that speaks the OpenAI protocol.',
  ),
  ANTHROPIC_API_KEY: secret('Enables the Anthropic models.'),
  ANTHROPIC_BASE_URL: httpUrl(
    'https://api.anthropic.com',
    'Another base URL that speaks the Anthropic protocol.',
  ),
  GEMINI_API_KEY: secret('Enables the Gemini and Veo models.'),
  GEMINI_BASE_URL: httpUrl(
    'https://generativelanguage.googleapis.com',
    'Another base URL that speaks the Gemini protocol.',
  ),
  FAL_KEY: secret('Enables the fal models.'),
  FAL_BASE_URL: httpUrl(
    'https://queue.fal.run',
    'Another base URL that speaks the fal queue protocol.',
  ),
  REPLICATE_API_TOKEN: secret('Enables the Replicate models.'),
  REPLICATE_BASE_URL: httpUrl('https://api.replicate.com', 'Another base URL of its protocol.'),
  MODELS_FILE: text(
    '',
    'JSON file that adds, disables and re-prices models and adds OpenAI-compatible endpoints (docs/models.md).',
  ),
  PRICES_FILE: text(
    '',
    'JSON file with prices that replace the built-in ones: your own, or the one that LiteLLM publishes (docs/models.md).',
  ),
  EMBEDDED_OPTIONS: text(
    '',
    'Demonstrations and tests only: `delayMs=500,failEvery=3,failAs=busy` slows or fails the demo provider (`failAs`: busy, content, lost).',
  ),
  OUTBOUND_ALLOW: cidrs('Private CIDRs, comma-separated, that outbound calls may reach.'),
  SIGN_UP: choice(
    ['open', 'first-user', 'closed'],
    'first-user',
    'Who may create a user in the console: with `open` everybody, with an account of their own; otherwise people join by invitation.',
  ),
  ISSUERS_FILE: text('', 'JSON file of external token issuers (docs/authentication.md).'),
  OIDC_ISSUER: httpUrl(
    '',
    'OpenID provider for console sign-in; with OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
  ),
  OIDC_CLIENT_ID: text('', 'Client identifier at that provider.'),
  OIDC_CLIENT_SECRET: secret('Client secret at that provider.'),
  OIDC_SCOPES: text('openid email profile', 'Scopes that the provider is asked for.'),
  OIDC_EMAIL_VERIFIED: choice(
    ['required', 'trusted'],
    'required',
    'What an e-mail without `email_verified` is worth: nothing, or as much as a verified one (docs/authentication.md).',
  ),
  ALLOWED_ORIGINS: origins(
    'Browser origins, comma-separated, that may call the API with a bearer credential.',
  ),
  TRUSTED_PROXIES: cidrs('CIDRs of reverse proxies whose X-Forwarded-For header is trusted.'),
  RATE_LIMIT: count('0', 'Requests per account and minute; 0 is off.'),
  RATE_LIMIT_CHAT: count('0', 'Chat completions per account and minute; 0 is off.'),
  RATE_LIMIT_GENERATION: count(
    '0',
    'Image and video submissions per account and minute; 0 is off.',
  ),
  RATE_LIMIT_RUN: count('0', 'Run submissions per account and minute; 0 is off.'),
  RATE_LIMIT_HOOK: count('600', 'Requests to the address of one trigger per minute; 0 is off.'),
  RATE_LIMIT_IP: count('120', 'Unauthenticated requests per address and minute; 0 is off.'),
  SIGN_IN_FAILURES_PER_EMAIL: count(
    '10',
    'Failed tries to sign in per e-mail and minute; then that e-mail waits (docs/security.md). 0 is off.',
  ),
  SIGN_IN_FAILURES_PER_ADDRESS: count(
    '10',
    'The same per address of the network. Raise it if many people share one. 0 is off.',
  ),
  SIGN_IN_MAX_WAIT_SECONDS: waiting(
    '900',
    'The wait after too many failed tries is a minute and doubles each time, up to this.',
    60,
  ),
  SPEND_LIMIT: count(
    '0',
    'Spend per account and calendar month (UTC), in whole USD; 0 is off.',
    0,
    1_000_000_000,
  ),
  MAX_TASKS_IN_FLIGHT: count(
    '50',
    'Running image and video tasks of one account; the rest wait.',
    1,
  ),
  MAX_ACTIVE_RUNS: count('200', 'Active runs of one account; the rest wait.', 1),
  MAX_QUEUED_RUNS: count('10000', 'Queued runs of one account; more are refused.', 1),
  MAX_WAITING_RUNS: count(
    '100000',
    'Sleeping runs of one account: with more, runs of workflows that can wait are refused.',
    1,
  ),
  RUN_TIMEOUT_SECONDS: working('3600', 'A run fails after being active this long.'),
  RUN_QUEUE_TIMEOUT_SECONDS: working('3600', 'A run that has not started after this time fails.'),
  TASK_IMAGE_TIMEOUT_SECONDS: working('300', 'An image task fails after running this long.'),
  TASK_VIDEO_TIMEOUT_SECONDS: working('1200', 'A video task fails after running this long.'),
  TASK_QUEUE_TIMEOUT_SECONDS: working('3600', 'A task that has not started after this time fails.'),
  BATCH_WINDOW_SECONDS: working('86400', 'How long a vendor may take for a batch.'),
  BATCH_GATHER_SECONDS: waiting('60', 'How long calls are gathered for a batch.', 0),
  RECEIPT_TIMEOUT_SECONDS: waiting('30', 'A request must arrive completely within this time.'),
  CHAT_TIMEOUT_SECONDS: waiting(
    '120',
    'A chat completion whose answer comes whole fails after this time, a stream when nothing has arrived for this long.',
  ),
  CHAT_TOTAL_SECONDS: waiting(
    '1800',
    'A stream fails after this time even if it goes on. At least CHAT_TIMEOUT_SECONDS, if that is longer.',
  ),
  PROVIDER_WAIT_SECONDS: waiting('10', 'How long a chat waits for a busy provider.', 0),
  HANDLER_TIMEOUT_SECONDS: waiting(
    '15',
    'Any other request is answered within this time, whatever the database does.',
    3,
  ),
  RETENTION_DAYS: count(
    '30',
    'Finished tasks, runs and their media are deleted after this many days.',
    1,
    36_500,
  ),
  RESPONSES_KEPT_HOURS: count(
    '72',
    'An answer of the Responses API can be continued and read for this long after its last use. 0: no answer is kept.',
    0,
    8_760,
  ),
  AUDIT_DAYS: count('365', 'Entries of the audit log are deleted after this many days.', 1, 36_500),
  LEASE_SECONDS: waiting(
    '5',
    'If a worker is silent for this long, another one takes over its work.',
    2,
  ),
  SPEND_WAIT_SECONDS: waiting(
    '5',
    'A chat or another direct call that does not fit a budget beside the calls in flight waits for them for this long, then it is answered 503.',
    0,
  ),
  DRAIN_SECONDS: waiting(
    '5',
    'After SIGTERM, requests are still served for this long while `/readyz` answers 503, so that proxies send them elsewhere.',
    0,
  ),
  SHUTDOWN_SECONDS: waiting(
    '10',
    'Requests in flight get this long to finish when the server stops.',
    0,
  ),
  CONSOLE: choice(
    ['on', 'off'],
    'on',
    'Whether the web console is served, and built first if its sources changed.',
  ),
  LOG_LEVEL: choice(
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'How much is logged, as JSON lines on standard output.',
  ),
  LOG_REQUESTS: choice(
    ['off', 'errors', 'all'],
    'off',
    'Which requests are logged, one line each at level `info`, without bodies or headers. The signal SIGUSR2 switches between this and `all` (or `off`, if this is `all`).',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl(
    '',
    'OpenTelemetry collector that gets traces over OTLP/HTTP as JSON, such as `http://127.0.0.1:4318`. Unset: no traces.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: {
    ...pairs('Headers for that collector: `name=value,…`, percent-encoded.'),
    secret: true,
  } satisfies Variable<Readonly<Record<string, string>>>,
  OTEL_SERVICE_NAME: text('atelier', 'Name of this service in traces.'),
  OTEL_RESOURCE_ATTRIBUTES: pairs('Further attributes of this service in traces: `name=value,…`.'),
  OTEL_TRACES_SAMPLER_ARG: ratio(
    '1',
    'Share of traces that is kept, from 0 to 1. A caller that sends `traceparent` decides for its own.',
  ),
  METRICS_LISTEN: listenAddress(
    'Address for Prometheus metrics, such as `127.0.0.1:9464`; never use a public one. Unset: no metrics.',
  ),
} as const

type Names = keyof typeof variables
export type Config = Readonly<{ [K in Names]: ReturnType<(typeof variables)[K]['parse']> }> & {
  /** DATA_DIR as an absolute path. */
  readonly dataDir: string
}

export class ConfigError extends Error {
  override name = 'ConfigError'
}

export type Environment = Readonly<Record<string, string | undefined>>

const openIdNames = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']

export function readConfig(env: Environment): Config {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, variable] of Object.entries(variables)) {
    const given = env[name]?.trim()
    try {
      values[name] = variable.parse(given === undefined || given === '' ? variable.fallback : given)
    } catch (error) {
      if (!(error instanceof BadValue)) throw error
      problems.push(`${name} ${error.message}${'secret' in variable ? '' : ` (it is "${given}")`}`)
    }
  }
  if (values.ROLE !== 'all' && values.DATABASE_URL === '' && !problems.length) {
    problems.push('ROLE=api and ROLE=worker need DATABASE_URL: SQLite serves one process')
  }
  const unset = openIdNames.filter((name) => values[name] === '')
  if (unset.length > 0 && unset.length < openIdNames.length)
    problems.push(`${unset.join(' and ')} must be set: ${openIdNames.join(', ')} go together`)
  const { CHAT_TIMEOUT_SECONDS, CHAT_TOTAL_SECONDS } = values
  values.CHAT_TOTAL_SECONDS = Math.max(Number(CHAT_TIMEOUT_SECONDS), Number(CHAT_TOTAL_SECONDS))
  if (problems.length)
    throw new ConfigError(`Configuration:\n${problems.map((p) => `  ${p}`).join('\n')}`)
  return { ...values, dataDir: resolve(String(values.DATA_DIR)) } as Config
}

/** Membership test over CIDRs as `readConfig` returns them. */
export function cidrMatcher(ranges: readonly string[]): (address: string) => boolean {
  const block = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    block.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return (address) => block.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
