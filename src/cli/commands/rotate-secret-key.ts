import { replaceKeyFile } from '#operate/installation/secret-keys.ts'
import type { Run } from '../command.ts'
import { CliFailure, exits } from '../terminal/failure.ts'
import { word } from '../terminal/printer.ts'
import { printJson } from '../terminal/result.ts'

const failed = (message: string, code: string, hint: string) =>
  new CliFailure(message, { exitCode: exits.failed, code, hint })

export const rotateSecretKey: Run = async (cli) => {
  const { dataDir } = cli.settings
  if (cli.env.SECRET_KEY) {
    throw failed(
      'The key is in SECRET_KEY, where only you can replace it.',
      'KEY_IN_ENVIRONMENT',
      'Set SECRET_KEY_OLD to the present key and SECRET_KEY to a new one (openssl rand -base64 32), and restart the server.',
    )
  }
  const made = replaceKeyFile(dataDir)
  if (made === null) {
    throw failed(
      `There is no secret.key in ${word(dataDir)}.`,
      'NO_SECRET_KEY',
      'Set DATA_DIR to the folder of the server.',
    )
  }
  if (made === 'unfinished') {
    throw failed(
      `There is a secret.key.old in ${word(dataDir)}: the key is already being replaced.`,
      'ROTATION_UNFINISHED',
      'Start the server. It logs when every stored secret is encrypted with the new key; delete secret.key.old 24 hours later.',
    )
  }
  if (cli.json) printJson(cli, made)
  else {
    cli.out.line(`New key: ${word(made.keyPath)}`)
    cli.out.line(`Present key, kept until the change is complete: ${word(made.oldKeyPath)}`)
    cli.err.line(
      'Restart the server: it encrypts everything with the new key, then logs that it has.',
    )
  }
  return exits.ok
}
