import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'

const shownMs = 2000

/** Copies a text, and says that it did. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), shownMs)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () => {
    // Absent where the page is not served securely.
    const copying = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))
    copying.then(
      () => setState('copied'),
      () => setState('refused')
    )
  }
  const Icon = state === 'copied' ? Check : Copy
  return (
    <>
      <Button size="small" onClick={copy} aria-label={`Copy ${what}`}>
        <Icon aria-hidden="true" className="size-3.5" />
        {state === 'copied' ? 'Copied' : 'Copy'}
      </Button>
      <span role="status" className="sr-only">
        {state === 'copied' && `Copied ${what}.`}
        {state === 'refused' && 'The browser did not allow copying: select the text instead.'}
      </span>
    </>
  )
}
