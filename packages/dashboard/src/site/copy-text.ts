const shownMs = 2000

/** Shows the buttons that copy a text. */
export function offerCopies(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const text = button.textContent
    button.hidden = false
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(button.dataset.copy ?? '')
        button.textContent = 'Copied'
      } catch {
        // Pages without https may not write to the clipboard.
        button.textContent = 'Not copied'
      }
      setTimeout(() => {
        button.textContent = text
      }, shownMs)
    })
  }
}
