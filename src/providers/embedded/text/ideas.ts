import { seededRandom } from '../art/random.ts'
import { capitalize, countBefore } from './language.ts'
import { keywordsOf } from './rank.ts'
import { topicOf } from './topic.ts'

const things =
  /^(?:\S{1,20} ){0,2}(?:ideas?|names?|prompts?|questions?|scenes?|shots?|tips?|reasons?|steps?|examples?|topics?|suggestions?|variations?|options?|ways|benefits|facts|points|things|items)\b/

/** "Give me 5 ideas for …" */
export const asksForIdeas = (ask: string): boolean =>
  /\b(?:list|give|suggest|brainstorm|generate|write|propose|create|come up with|think of|name|need|make)\b/i.test(
    ask,
  ) &&
  (countBefore(ask, things) !== undefined ||
    /\b(?:ideas|prompts|scenes|tips|suggestions|steps|reasons)\b/i.test(ask))

const views = [
  'at sunrise, soft mist, wide view',
  'at night under a full moon, lit windows',
  'in the rain, reflections on the street',
  'in autumn colours, low sun',
  'from high above, tiny figures, long shadows',
  'in winter, fresh snow, quiet',
  'as a bold geometric pattern',
  'by the sea at sunset, golden light',
  'in a pine forest, rays of light',
  'among planets and stars',
  'in pastel colours, dreamy',
  'as a neon city of the future',
]
const angles = [
  'Show what happens behind the scenes of {topic}',
  'Answer the question people ask most about {topic}',
  'Collect the mistakes everyone makes with {topic}, and how to avoid them',
  'Compare {topic} today with ten years ago',
  'Let three people tell how they use {topic}',
  'Make a checklist for the first day with {topic}',
  'Explain {topic} in one picture',
  'Measure {topic} for a week and publish the numbers',
  'Offer a small, free first step into {topic}',
  'Ask the sharpest critic of {topic} for an interview',
  'Turn {topic} into a short weekly habit',
  'Pair {topic} with something it is never paired with',
]
const steps = [
  'Write down what {topic} has to achieve, in one sentence',
  'Look at how others do it, and note what to leave out',
  'Choose the smallest version that would already help',
  'Set a date and a person for each part',
  'Make the first version',
  'Show it to three people and listen',
  'Mend what confused them',
  'Put it to use, and measure',
  'Decide what to stop doing',
  'Write down what was learned',
]
const reasons = [
  'It saves time every week',
  'It is easier to start than it looks',
  'Mistakes stay small and cheap',
  'Others can build on it',
  'It can be measured',
  'It makes the next step clearer',
  'It frees attention for what matters',
  'It is pleasant to do',
  'It ages well',
  'It can be undone',
]
const questions = [
  'What problem does {topic} solve, and for whom?',
  'What would happen without {topic}?',
  'How will we know that {topic} works?',
  'What does {topic} cost, in time and money?',
  'Who has to agree before {topic} can start?',
  'What is the smallest useful form of {topic}?',
  'What could go wrong with {topic}, and what then?',
  'What do critics of {topic} get right?',
  'What will {topic} look like in five years?',
  'What should {topic} never become?',
]
const names = [
  '{Key} & Co',
  'Studio {Key}',
  '{Key}works',
  'The {Key} House',
  '{Key}ly',
  'North {Key}',
  '{Key} Lane',
  'Bright{key}',
  '{Key} Collective',
  'Hello {Key}',
  'Little {Key}',
  '{Key} Atlas',
]

/** A numbered list in a fixed order that the topic alone decides. */
export function listIdeas(ask: string, material: string): string {
  const count = Math.min(countBefore(ask, things) ?? 5, 50)
  return ideasFor(ask, material, count)
    .map((idea, i) => `${i + 1}. ${idea}`)
    .join('\n')
}

export function ideasFor(ask: string, material: string, count: number): string[] {
  const topic = material === '' ? topicOf(ask) : (keywordsOf(material, 1)[0] ?? topicOf(ask))
  const key = (keywordsOf(topic, 1)[0] ?? topic).replace(/\s+/g, '').toLowerCase()
  const forms = formsFor(ask)
  const from = seededRandom(topic).whole(0, forms.length - 1)
  return Array.from({ length: count }, (_, i) => {
    const form = forms[(from + i) % forms.length] ?? ''
    // Beyond the forms there are, a second round says so instead of repeating itself.
    const round = Math.floor(i / forms.length)
    const idea = form
      .replaceAll('{topic}', topic)
      .replaceAll('{Key}', capitalize(key))
      .replaceAll('{key}', key)
    return capitalize(round === 0 ? idea : `${idea} (variation ${round + 1})`)
  })
}

function formsFor(ask: string): string[] {
  if (/\b(?:prompts?|scenes?|shots?|images?|pictures?|illustrations?)\b/i.test(ask))
    return views.map((view) => `{topic} ${view}`)
  if (/\bsteps?\b/i.test(ask)) return steps
  if (/\b(?:reasons?|benefits|advantages)\b/i.test(ask)) return reasons
  if (/\bquestions?\b/i.test(ask)) return questions
  if (/\bnames?\b/i.test(ask)) return names
  return angles
}
