import { sentencesOf, stem, termsOf, wordsOf } from './language.ts'

const stems = (list: string) => new Set(list.split(/\s+/).map(stem))

const good = stems(`good great excellent amazing awesome wonderful fantastic love loved lovely like
  happy pleased delighted best better perfect perfectly beautiful brilliant easy helpful friendly fast quick
  reliable recommend recommended recommendation enjoy enjoyed success successful win won glad thank thanks impressive
  superb outstanding comfortable clean fresh tasty delicious smooth elegant efficient satisfied positive
  improve improved improvement growth profit gain strong exciting excited proud fun nice cool flawless worth`)
const bad = stems(`bad terrible awful horrible poor worst worse hate hated dislike sad angry upset
  disappointed disappointing disappointment broken break broke bug bugs crash crashed slow difficult hard problem problems
  issue issues fail failed failure useless waste wrong error errors annoying annoyed rude dirty cold late
  expensive refund complaint complain never ugly boring noisy unreliable uncomfortable confusing negative
  decline loss lost weak worry worried fear unfortunately missing scam pain painful frustrated frustrating
  died dead ignored unanswered broke stopped useless damaged delayed`)
const negations = new Set(
  "not no never hardly don't didn't doesn't isn't wasn't won't can't cannot without".split(' '),
)

type Sentiment = {
  label: 'positive' | 'negative' | 'neutral'
  score: number
  words: string[]
}

/** Counts words of praise and blame; a negation within two words before turns one round. */
export function sentimentOf(text: string): Sentiment {
  const words = wordsOf(text).map((word) => word.toLowerCase().replaceAll('’', "'"))
  let sum = 0
  const telling: string[] = []
  for (const [i, word] of words.entries()) {
    const root = stem(word)
    const value = good.has(root) ? 1 : bad.has(root) ? -1 : 0
    if (value === 0 || negations.has(word)) continue
    const turned = words.slice(Math.max(0, i - 2), i).some((before) => negations.has(before))
    sum += turned ? -value : value
    if (telling.length < 5 && !telling.includes(word)) telling.push(word)
  }
  const score = Number((sum / (Math.abs(sum) + 1.5)).toFixed(2))
  return {
    label: score > 0.2 ? 'positive' : score < -0.2 ? 'negative' : 'neutral',
    score,
    words: telling,
  }
}

export const asksForSentiment = (ask: string): boolean =>
  /\b(?:sentiment|tone of|mood of|positive or negative|positive, negative|positive\/negative|negative or positive)/i.test(
    ask,
  )

export const wantsBareAnswer = (ask: string): boolean =>
  /\b(?:only|just|one word|single word|exactly|nothing else|no explanation)\b/i.test(ask)

export function describeSentiment(text: string, ask: string): string {
  const { label, score, words } = sentimentOf(text)
  if (wantsBareAnswer(ask)) return label
  const because =
    words.length > 0
      ? `, by the words ${words.join(', ')}`
      : ': no word of praise or blame stands out'
  return `${label} (score ${score}${because})`
}

/** Words that speak for a label beyond the label itself. */
const related: Record<string, string> = {
  bug: 'error crash broken fail exception freeze wrong problem issue defect',
  billing: 'invoice payment charge refund card price subscription bill paid money receipt',
  technical: 'error crash install login password bug server api code update broken screen',
  support: 'help question problem issue how assist',
  sales: 'price buy quote demo purchase upgrade plan offer discount',
  feature: 'add wish would could suggestion request improve option support',
  complaint: 'disappointed angry terrible refund late broken worst unacceptable',
  question: 'how what when where why who which can could ?',
  spam: 'winner prize free click lottery viagra urgent offer cash guarantee unsubscribe',
  urgent: 'urgent asap immediately now critical emergency today deadline down',
  sports: 'game match team player score win league football coach season',
  politics: 'government election minister president parliament law vote party policy',
  technology: 'software computer ai app internet chip data robot digital phone',
  business: 'company market profit revenue shares investor quarter ceo sales growth',
  science: 'research study scientists experiment planet species physics university',
  health: 'doctor patient hospital disease vaccine medicine diet health',
  travel: 'hotel flight trip tourist beach airport holiday city',
  food: 'restaurant recipe cook taste dish meal eat bread sauce',
  delivery:
    'parcel package arrive arrived shipping shipped courier late tracking delivered delivery box delay',
  product: 'broken defect quality size colour color item damaged works missing lamp',
  praise: 'great love thank excellent amazing wonderful best',
}
const relatedByLabel = new Map(Object.entries(related))

/** The labels an instruction offers: "as A, B or C", "one of: A, B", "categories: A, B". */
export function labelsIn(ask: string): string[] {
  const lead =
    /(?:\bas|\binto|\bone of(?: the following)?|\bcategor(?:y|ies)|\blabels?|\boptions?|\bclasses|\bwhether (?:it is|this is|it's)|\bbetween|\bis (?:this|it))(?: \([^)]{0,40}\))?\s{0,3}:?\s{1,3}([^.?!\n]{3,400})/i.exec(
      ask,
    )
  const list = lead?.[1] ?? /^([^.?!\n]{3,300})$/m.exec(ask)?.[1] ?? ''
  const labels = list
    .replace(/^(?:either|the following|these|one of)\b:?/i, '')
    .split(/\s*(?:,|\/|\||;|\bor\b|\band\b)\s*/)
    .map((label) =>
      label
        .replace(/["'“”()[\]]/g, '')
        .replace(/^(?:an?|the|either) /i, '')
        .trim(),
    )
    .filter((label) => label !== '' && label.length <= 40 && wordsOf(label).length <= 4)
  return labels.length >= 2 ? [...new Set(labels)].slice(0, 30) : []
}

/** The label whose own words, relatives or mood the text meets most; ties go to the first. */
export function classify(
  text: string,
  labels: readonly string[],
): { label: string; reasons: string[] } {
  const said = new Map<string, number>()
  for (const term of termsOf(text)) said.set(term, (said.get(term) ?? 0) + 1)
  const { score } = sentimentOf(text)
  const scored = labels.map((label) => {
    const low = label.toLowerCase()
    const own = termsOf(label)
    const kin = own.flatMap((term) =>
      [...relatedByLabel]
        .filter(([name]) => stem(name) === term)
        .flatMap(([, list]) => list.split(' ')),
    )
    const hits = [...new Set([...own, ...kin.map(stem)])].filter((term) => said.has(term))
    const mood = /positiv|good|happy|praise/.test(low)
      ? score
      : /negativ|bad|sad|angry|complain/.test(low)
        ? -score
        : /neutral|mixed/.test(low)
          ? 0.2 - Math.abs(score)
          : 0
    const asks =
      /question/.test(low) && sentencesOf(text).some((sentence) => sentence.endsWith('?')) ? 1 : 0
    return {
      label,
      reasons: hits,
      points: hits.length + 2 * mood + asks + (/^other$|none/.test(low) ? 0.1 : 0),
    }
  })
  const best = scored.toSorted((a, b) => b.points - a.points)[0]
  return { label: best?.label ?? '', reasons: best?.reasons ?? [] }
}

/** Whether the text has a property: by its mood, its questions, or the words that speak for it. */
export function holds(text: string, property: string): boolean {
  const name = property.toLowerCase()
  if (/positiv|good|happy/.test(name)) return sentimentOf(text).label === 'positive'
  if (/negativ|bad|angry|complaint/.test(name)) return sentimentOf(text).label === 'negative'
  if (/question/.test(name)) return sentencesOf(text).some((sentence) => sentence.endsWith('?'))
  return classify(text, [name]).reasons.length > 0
}

export const asksYesOrNo = (ask: string): boolean =>
  /\byes(?: or |\s?\/\s?|, )no\b|\btrue or false\b/i.test(ask)

/** "Is this spam? Answer yes or no." */
export function answerYesOrNo(text: string, ask: string): string {
  const property =
    /\b(?:is|are|does|do|has|have|was|contains?|mentions?|whether)\b(?: (?:this|it|that|there|the|text|message|review|e-?mail|ticket|about|mention|contain|sound|an?|any)\b){0,5} ([^?.\n]{2,80})/i.exec(
      ask,
    )?.[1] ?? ask
  const [yes, no] = /\btrue or false\b/i.test(ask) ? ['true', 'false'] : ['yes', 'no']
  return holds(text, property) ? yes : no
}

export const asksToClassify = (ask: string): boolean =>
  /\b(?:classif|categori[sz]|label (?:it|this|the|each)|which (?:category|label|class|of)|one of|decide whether|determine (?:whether|if)|choose (?:between|one))/i.test(
    ask,
  )

/** A single label, ready for a condition: explanations come only where one asks for them. */
export function classifyAs(text: string, ask: string): string {
  const labels = labelsIn(ask)
  if (labels.length === 0) {
    const usual = [
      'business',
      'technology',
      'science',
      'health',
      'politics',
      'sports',
      'travel',
      'food',
    ]
    return classify(text, usual).label
  }
  const { label, reasons } = classify(text, labels)
  if (!/\b(?:explain|why|reason|justify)\b/i.test(ask) || wantsBareAnswer(ask)) return label
  return `${label}${reasons.length > 0 ? `, because the text speaks of ${reasons.slice(0, 5).join(', ')}` : ', though no word of the text decides it'}`
}
