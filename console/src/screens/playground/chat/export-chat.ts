// A conversation as a file: Markdown of what is shown, for people, or JSON of everything.
import type { Conversation, Turn } from './turn-tree.ts'

export function chatAsMarkdown({ name }: Conversation, path: readonly Turn[]): string {
  return `${[`# ${name}`, ...path.map(turnAsMarkdown)].join('\n\n')}\n`
}

function turnAsMarkdown(turn: Turn): string {
  switch (turn.role) {
    case 'user':
      return [
        '## Question',
        ...turn.images.map((url) => `![Added to the question](${url})`),
        turn.text,
      ].join('\n\n')
    case 'tool':
      return ['## Results of tools', ...turn.results.map(({ text }) => fenced(text))].join('\n\n')
    case 'assistant':
      return [
        `## ${turn.end?.model ?? turn.model}`,
        turn.text,
        ...turn.toolCalls.map((call) => `Calls ${call.name}:\n\n${fenced(call.arguments)}`),
      ].join('\n\n')
    default:
      return turn satisfies never
  }
}

/** With a fence that is longer than any inside. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

export const chatAsJson = (conversation: Conversation, turns: readonly Turn[]): string =>
  JSON.stringify({ conversation, turns }, null, 2)

/** A name that every file system takes. */
export const fileNameOf = ({ name }: Conversation, ending: string): string =>
  `${
    name
      .replace(/[^\p{L}\p{N} _-]+/gu, '')
      .trim()
      .slice(0, 60) || 'chat'
  }.${ending}`
