import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workflowSearchText } from '#api/console/workflows/workflow-search-text.ts'
import type { GraphData } from '#store/tables/workflows.ts'

test('a workflow is found by the models and credentials it uses, and told from those that begin alike', () => {
  const graph = {
    nodes: [
      { id: 'a', type: 'text.generate', data: { model: 'acme/one', credential: 'Shop' } },
      {
        id: 'b',
        type: 'flow.map',
        data: { apply: { type: 'text.generate', data: { model: 'acme/two-mini' } } },
      },
    ],
    connections: [],
  } as unknown as GraphData
  const text = workflowSearchText('Weekly letter', graph)
  for (const word of [
    'weekly letter',
    'acme/one;',
    'acme/two-mini;',
    'credential:shop;',
    'acme/two',
  ])
    assert.ok(text.includes(word), word)
  assert.ok(!text.includes('acme/two;'))
})
