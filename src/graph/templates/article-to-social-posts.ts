import { node, type WorkflowTemplate, wire } from './template.ts'

export const articleToSocialPosts: WorkflowTemplate = {
  id: 'article-to-social-posts',
  name: 'Article to social posts',
  description: 'Summarises an article, then writes a post for each network, with a picture.',
  icon: 'megaphone',
  data: {
    nodes: [
      node('article', 'input.text', [0, 0], { label: 'Article', minLength: 40, maxLength: 60_000 }),
      node('networks', 'input.json', [0, 1], {
        label: 'Networks',
        schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 6 },
        default: ['LinkedIn', 'Mastodon', 'Instagram'],
      }),
      node('ask', 'text.template', [1, 0], {
        label: 'Ask for the gist',
        template: 'Summarise the following article in three sentences.\n\n{{article}}',
      }),
      node('summary', 'text.generate', [2, 0], {
        label: 'Gist',
        model: 'demo-text',
        maxTokens: 300,
      }),
      node('parts', 'flow.merge', [3, 1], { label: 'Gist and networks', mode: 'object' }),
      node('prompts', 'json.transform', [4, 1], {
        label: 'A prompt per network',
        expression:
          '[networks.("Rewrite the following text as a lively post for " & $ & ".\\n\\n" & $$.summary)]',
        outputType: 'list',
      }),
      node('write', 'flow.map', [5, 1], {
        label: 'Write the posts',
        apply: { type: 'text.generate', data: { model: 'demo-text', maxTokens: 200 } },
        maxItems: 6,
      }),
      node('motif', 'text.template', [3, 0], {
        label: 'Motif',
        template: 'Editorial illustration: {{summary}}',
      }),
      node('illustrate', 'image.generate', [4, 0], {
        label: 'Illustrate',
        model: 'demo-image',
        imageAspectRatio: '16:9',
      }),
      node('posts', 'output', [6, 1], { label: 'Posts' }),
      node('picture', 'output', [6, 0], { label: 'Picture' }),
    ],
    connections: [
      wire('article', 'ask.article'),
      wire('ask', 'summary.prompt'),
      wire('summary', 'parts'),
      wire('networks', 'parts'),
      wire('parts', 'prompts'),
      wire('prompts', 'write'),
      wire('write', 'posts'),
      wire('summary', 'motif.summary'),
      wire('motif', 'illustrate.prompt'),
      wire('illustrate', 'picture'),
    ],
  },
  sampleInputs: {
    article:
      'The town library has lent tools since spring. Anyone with a card may take a drill or a ladder home for a week. In half a year 1,200 loans were made, and the library says most borrowers had never owned the tool. Volunteers repair what comes back broken. Next year a second branch will lend sewing machines.',
    networks: ['LinkedIn', 'Mastodon'],
  },
}
