import { readFileSync } from 'node:fs'
import { parseIssuers } from '#auth/issuers-file.ts'
import { type Config, ConfigError, cidrMatcher, type Environment, readConfig } from '#config'
import { type ModelsFile, parseModelsFile } from '#providers/models-file.ts'
import { parsePricesFile } from '#providers/prices-file.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'

export type Configuration = { findings: Finding[]; config: Config | null; modelsFile: ModelsFile }

export function checkNode(version: string): Finding {
  return Number(version.split('.')[0]) >= 26
    ? ok('node', version)
    : fail(
        'node',
        `${version} is too old`,
        'Start through "npm start" or "atelier", which bring Node 26.',
      )
}

/** Reads the configuration as a server started from this shell would. */
export function checkConfiguration(env: Environment): Configuration {
  let config: Config
  try {
    config = readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problems = error.message.split('\n').slice(1)
    const findings = problems.map((problem) =>
      fail('configuration', problem.trim(), 'Change the variable, or unset it for its default.'),
    )
    return { findings, config: null, modelsFile: {} }
  }
  const files = checkFiles(config)
  const findings = [...files.findings, ...checkListening(config), ...checkProxies(config)]
  if (findings.length === 0) findings.push(ok('configuration', 'every variable has a usable value'))
  return { findings, config, modelsFile: files.modelsFile }
}

function checkFiles(config: Config): { findings: Finding[]; modelsFile: ModelsFile } {
  const findings: Finding[] = []
  let modelsFile: ModelsFile = {}
  const attempt = (variable: string, path: string, read: (text: string) => void) => {
    if (path === '') return
    try {
      read(readFileSync(path, 'utf8'))
    } catch (error) {
      const advice = `The server does not start with it: correct the file, or unset ${variable}.`
      findings.push(fail('configuration', `${variable} ${path}: ${reasonOf(error)}`, advice))
    }
  }
  attempt('MODELS_FILE', config.MODELS_FILE, (text) => {
    modelsFile = parseModelsFile(text)
  })
  attempt('PRICES_FILE', config.PRICES_FILE, (text) => {
    parsePricesFile(text)
  })
  attempt('ISSUERS_FILE', config.ISSUERS_FILE, (text) => {
    parseIssuers(text, { ownIssuer: config.BASE_URL || 'http://127.0.0.1' })
  })
  return { findings, modelsFile }
}

function checkListening({ HOST, BASE_URL }: Config): Finding[] {
  const isLocal = HOST === 'localhost' || HOST === '::1' || HOST.startsWith('127.')
  if (isLocal || BASE_URL.startsWith('https:')) return []
  return [
    warn(
      'configuration',
      `HOST=${HOST} serves other machines, and BASE_URL is not an https address`,
      'Put a reverse proxy with TLS in front, and set BASE_URL to its https address.',
    ),
  ]
}

/** The server itself speaks no TLS, so behind an https address there is a proxy. */
function checkProxies({ BASE_URL, TRUSTED_PROXIES }: Config): Finding[] {
  if (!BASE_URL.startsWith('https:') || TRUSTED_PROXIES.length > 0) return []
  return [
    warn(
      'configuration',
      'BASE_URL is an https address, and TRUSTED_PROXIES is not set: all callers come from the address of the proxy, so that ten wrong passwords of one keep everybody out',
      'Set TRUSTED_PROXIES to the address of the proxy.',
    ),
  ]
}

const metadataAddresses = ['169.254.169.254', 'fd00:ec2::254']

export function checkOutbound({ OUTBOUND_ALLOW }: Config): Finding {
  if (OUTBOUND_ALLOW.length === 0) {
    return ok('outbound', 'workflows and webhooks reach public addresses only')
  }
  const isAllowed = cidrMatcher(OUTBOUND_ALLOW)
  const ranges = OUTBOUND_ALLOW.join(', ')
  const open = metadataAddresses.filter(isAllowed)
  return open.length > 0
    ? fail(
        'outbound',
        `OUTBOUND_ALLOW admits ${open.join(' and ')}, where clouds hand out credentials`,
        'Name only the addresses that workflows need.',
      )
    : warn(
        'outbound',
        `OUTBOUND_ALLOW lets every account reach ${ranges}`,
        'Right in development; elsewhere name only what workflows need.',
      )
}
