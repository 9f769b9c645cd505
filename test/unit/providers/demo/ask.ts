import { generateText } from '#providers/demo/text/generate.ts'
import type { TextRequest, TextResult } from '#providers/provider.ts'

type Extra = Partial<TextRequest> & { system?: string; before?: TextRequest['messages'] }

export function ask(content: string, { system, before = [], ...extra }: Extra = {}): TextResult {
  return generateText({
    model: 'demo-text',
    messages: [...before, { role: 'user', content }],
    ...(system === undefined ? {} : { systemPrompt: system }),
    ...extra,
  })
}

export const say = (content: string, extra: Extra = {}): string => ask(content, extra).text

export const article = `Solar power grew faster than any other source of electricity in 2025. According to the International Energy Agency, 510 gigawatts of new capacity were installed, most of them in China. Prices for panels fell by 12% during the year. In Germany, Maria Schneider, who leads the Solar Association, called the result a turning point. However, grid operators warn that cables and storage do not keep pace. The agency expects 600 gigawatts in 2026. Contact: press@iea.example, +33 1 40 57 65 00. The next report is due on 15 March 2027.`

export const review =
  'I loved this hotel! The staff was friendly and the room perfectly clean. Only the breakfast was a bit cold.'
