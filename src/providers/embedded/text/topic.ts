import { wordsOf } from './language.ts'

const opening =
  /^\s{0,20}(?:(?:please|kindly|can you|could you|would you|i want you to|i need|i'd like|now)\s{1,3}){0,3}(?:write|create|generate|draft|compose|make|give(?: me)?|suggest|propose|brainstorm|list|describe|explain|tell(?: me)?|produce|provide|come up with|think of|show(?: me)?|invent|design|plan|outline|name)\b/i

/** What a request to write something is about: "a haiku about autumn rain" gives "autumn rain". */
export function topicOf(ask: string): string {
  const flat = ask
    .slice(0, 600)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.?!:\s]{1,9}$/, '')
    .replace(/\s(?:for|as) (?:an? )?(?:image |video |picture )?(?:prompt|generator|model)s?$/i, '')
  const after =
    /\b(?:about|on the topic of|on the subject of|regarding|concerning|titled|called)\s{1,3}(.{2,300})$/i.exec(
      flat,
    )?.[1]
  const towards =
    after ??
    /\b(?:for|of|on|from|describing|promoting|announcing)\s{1,3}(.{2,300})$/i.exec(
      flat.replace(opening, ''),
    )?.[1]
  const topic = (towards ?? flat.replace(opening, '').trim())
    .replace(
      /\s(?:in|with|using|of) (?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|about|at most|under|less than)\b.{0,60}$/i,
      '',
    )
    .replace(/^(?:some|this|these|the following|following)\s/i, '')
    .trim()
  return topic === ''
    ? 'the subject'
    : wordsOf(topic).length > 14
      ? wordsOf(topic).slice(0, 14).join(' ')
      : topic
}

/** For titles and tags. */
export const withoutArticle = (topic: string): string =>
  topic.replace(/^(?:an?|the|my|our|your)\s/i, '')
