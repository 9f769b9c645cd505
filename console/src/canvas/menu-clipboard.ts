import { copyText } from '#console/lib/clipboard.ts'
import type { Actions } from './actions.ts'
import type { Position } from './graph.ts'
import type { Session } from './session.ts'

/** What was copied last in this tab, for browsers that do not let a page read the clipboard. */
let kept: string | null = null

export function keepCopied(text: string) {
  kept = text
}

export async function copySelected({ say }: Session, actions: Actions) {
  const text = actions.copied()
  if (text === null) return
  keepCopied(text)
  await copyText(text)
  say('Copied')
}

/** Pastes, or tells why not. */
export function pasteText({ view, say }: Session, actions: Actions, text: string, at: Position) {
  const why = actions.paste(text, at)
  view.setState({ notice: why })
  if (why) say(why)
}

export async function pasteHere(session: Session, actions: Actions, at: Position) {
  pasteText(session, actions, (await readClipboard()) || (kept ?? ''), at)
}

async function readClipboard(): Promise<string> {
  try {
    return await navigator.clipboard.readText()
  } catch {
    return ''
  }
}
