// What each agent is taken through, and how one sees that it worked: by the files that it wrote,
// and by what the scripted model says it was sent.
import assert from 'node:assert/strict'
import type { Agent } from './agents/agent.ts'
import type { Session } from './session.ts'

export const prompts = {
  job: (folder: string) =>
    `[[job ${folder}]] Write note.txt, run a command, look at picture.png, then answer.`,
  pdf: (folder: string) => `[[pdf ${folder}]] Read paper.pdf.`,
  edit: '[[edit]] Write note.txt.',
  again: '[[again]] What have we done so far?',
  long: (seconds: number) => `[[long ${seconds}]] Tell me a long story.`,
  tools: '[[tools]] Use the last of the many tools.',
}

export async function doJob(agent: Agent, session: Session): Promise<string> {
  const prompt = agent.editsInText ? prompts.edit : prompts.job(session.folder)
  const said = await session.ask(prompt)
  assert.match(await session.read('note.txt'), /written by the agent/, `no file: ${tail(said)}`)
  assert.match(await session.read('ran.txt'), /it-ran/, `no command: ${tail(said)}`)
  if (!agent.editsInText) assert.match(said, /The job is done: 3 calls, 3 results/, tail(said))
  if (agent.cannot?.picture === undefined) assert.match(said, /\b1 pictures/, tail(said))
  return said
}

export async function continueJob(agent: Agent, session: Session): Promise<string> {
  const said = await session.ask(prompts.again)
  const remembers = agent.editsInText ? /Second turn: / : /Second turn: 3 calls, [3-9] results/
  assert.match(said, remembers, tail(said))
  if (agent.cannot?.picture === undefined) assert.match(said, /\b[1-9] pictures/, tail(said))
  return said
}

export async function streamLong(session: Session, seconds: number): Promise<string> {
  const said = await session.ask(prompts.long(seconds))
  assert.match(said, /end of the long stream/, tail(said))
  return said
}

export async function useManyTools(agent: Agent, session: Session): Promise<string> {
  const said = await session.ask(prompts.tools)
  const calls = agent.searchesTools ? /saw 1: 2 calls, 2 results/ : /saw 150: 1 calls, 1 results/
  assert.match(said, calls, tail(said))
  return said
}

const tail = (said: string): string => said.slice(-600)
