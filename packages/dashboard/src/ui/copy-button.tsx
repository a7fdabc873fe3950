import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { useToast } from './toast.tsx'

const shownMs = 2000

/** Copies a text and confirms it. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const showToast = useToast()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => {
    // The clipboard is missing on pages served without TLS.
    const copying = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))
    copying.then(
      () => setCopied(true),
      () => showToast('Your browser blocked copying. Select the text and copy it yourself.', 'failed')
    )
  }
  const Icon = isCopied ? Check : Copy
  return (
    <>
      <Button size="small" onClick={copy} aria-label={`Copy ${what}`}>
        <Icon aria-hidden="true" className="size-3.5" />
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
      <span role="status" className="sr-only">
        {isCopied && `Copied ${what}.`}
      </span>
    </>
  )
}
