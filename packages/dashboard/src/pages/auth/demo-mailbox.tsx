import { signInFacts } from '../../sign-in-facts.ts'
import { textLink } from '../../ui/text-link.ts'

const { demoMailboxUrl } = signInFacts

/** On a trial, where its mails are; otherwise `otherwise`. */
export function DemoMailbox({ otherwise = null }: { readonly otherwise?: string | null }) {
  if (demoMailboxUrl === null) return otherwise
  return (
    <>
      This is a demo, which sends no e-mail to the internet.{' '}
      <a href={demoMailboxUrl} target="_blank" rel="noreferrer" className={textLink}>
        Open the demo’s mailbox
      </a>
    </>
  )
}
