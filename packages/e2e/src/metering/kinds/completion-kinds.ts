import { type Ask, type Kind, kindOf, marker, some, streamed, words } from './kind.ts'

const completion = (name: string, more: Ask): Kind =>
  kindOf('completions', name, (random) => ({
    model: 'writer',
    prompt: words(random, 60),
    max_tokens: some(random, 80),
    ...more(random)
  }))

const embedding = (name: string, input: Ask): Kind =>
  kindOf('embeddings', name, (random) => ({ model: 'embedder', dimensions: 16, ...input(random) }), { weight: 1 })

export const completionKinds: readonly Kind[] = [
  completion('completion', () => ({})),
  completion('completion, streamed', streamed),
  completion('several prompts', (random) => ({ prompt: [words(random, 30), words(random, 30)], n: 2 })),
  completion('best of several', () => ({ best_of: 3 })),
  completion('a later, lower report, streamed', (random) => ({
    prompt: `${marker('odd-answer=lower-report')} ${words(random, 60)}`,
    stream: true
  })),
  ...[true, false].map((stream) =>
    kindOf(
      'completions',
      `words of another name, usage not reported${stream ? ', streamed' : ''}`,
      (random) => ({
        model: 'writer',
        prompt: `${marker('odd-answer=other-name', 'no-usage')} ${words(random, 60)}`,
        max_tokens: some(random, 80),
        stream
      }),
      { isReported: false, weight: 0.5 }
    )
  ),
  completion('tokens', () => ({ prompt: [9906, 1917], echo: true })),
  embedding('a text', (random) => ({ input: words(random, 1000) })),
  embedding('several texts', (random) => ({ input: [words(random, 9), words(random, 9)] })),
  embedding('tokens', () => ({ input: [9906, 1917], encoding_format: 'base64' }))
]
