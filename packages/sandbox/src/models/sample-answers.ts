/** A Markdown answer, and the questions that get it. */
interface Sample {
  readonly questions: RegExp
  readonly answer: string
}

// A longer text is a document that mentions such words, rather than a question about them.
const maxQuestionLength = 300

const code = `Here is a function that says whether a number is prime:

\`\`\`python
def is_prime(number: int) -> bool:
    """Say whether a number is prime."""
    if number < 2:
        return False
    divisor = 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            return False
        divisor += 1
    return True


print([n for n in range(20) if is_prime(n)])
\`\`\`

It tries each divisor up to the **square root** of the number, so \`is_prime(97)\` needs eight divisions.

*This is a sample answer: the embedded model server is no real model.*`

const table = `Three ways to cache an API's answers:

| Where | Best for | Speed | Drawback |
| --- | --- | --- | --- |
| In the process | Small, hot data | Under 1 ms | Each process has its own copy |
| In Redis | Answers that servers share | About 1 ms | One more service to run |
| At a CDN | Public answers | Near the reader | Hard to clear at once |

Start with the **simplest** that fits:

1. Set \`cache-control\` headers.
2. Add Redis when several servers repeat the same work.
3. Add a CDN when readers are far away.

*This is a sample answer: the embedded model server is no real model.*`

const samples: readonly Sample[] = [
  { questions: /\b(write|show|give)\b.*\b(function|code|script|program)\b/is, answer: code },
  { questions: /\bcompare\b|\bas a table\b/i, answer: table }
]

/** An answer with a code block or a table, for a question that asks for one; null for any other text. */
export function findSample(question: string): string | null {
  if (question.length > maxQuestionLength || /\bsay \d+ words?\b/i.test(question)) return null
  return samples.find(({ questions }) => questions.test(question))?.answer ?? null
}
