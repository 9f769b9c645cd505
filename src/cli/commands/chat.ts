import { chooseModel } from '../arguments/choose-model.ts'
import { withPictures } from '../arguments/reference-pictures.ts'
import type { Run } from '../command.ts'
import { connect } from '../connection.ts'
import { exits } from '../terminal/failure.ts'
import { prose, word } from '../terminal/printer.ts'
import { readPrompt } from '../terminal/prompt.ts'
import { printJson } from '../terminal/result.ts'
import { count, showMoney } from '../terminal/show.ts'

export const chat: Run = async (cli, args) => {
  const content = await withPictures(await readPrompt(cli, args.positionals), args.list('image'))
  const client = connect(cli)
  const { signal } = cli
  const model = await chooseModel(client, 'TEXT', args.text('model'), signal)
  const [systemPrompt, temperature, maxTokens] = [
    args.text('system'),
    args.number('temperature'),
    args.number('max-tokens'),
  ]
  const completion = await client.chat.create(
    {
      model,
      messages: [{ role: 'user', content }],
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
    },
    { signal },
  )
  if (cli.json) {
    printJson(cli, completion)
    return exits.ok
  }
  cli.out.line(prose(completion.content, cli.out).replace(/\n+$/, ''))
  if (completion.finishReason !== 'stop') {
    cli.err.line(`The answer was cut off (${word(completion.finishReason)}).`)
  }
  if (cli.err.isTerminal && cli.out.isTerminal) {
    const { usage, cost } = completion
    const facts = [word(completion.model), count(usage.totalTokens, 'token'), showMoney(cost)]
    cli.err.line(cli.err.paint('dim', facts.filter((fact) => fact !== '').join(' · ')))
  }
  return exits.ok
}
