const shownMs = 2000

/** Shows the buttons that copy a text, and gives one to each example of the docs. */
export function offerCopies(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy], button[data-copy-code]')) {
    const code = button.dataset.copyCode
    const example = code === undefined ? null : document.getElementById(code)
    offer(button, () => example?.textContent ?? button.dataset.copy ?? '', example)
  }
  for (const example of document.querySelectorAll<HTMLElement>('.docs pre:not(.code-tabs pre)')) {
    const code = example.querySelector('code')
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.className = 'copy-example'
    // Beside the code, so that it is not copied itself.
    example.append(button)
    offer(button, () => code?.textContent ?? '', code)
  }
}

/** @param shown where the text stands on the page, if it does */
function offer(button: HTMLButtonElement, read: () => string, shown: HTMLElement | null): void {
  const label = button.textContent
  const say = (text: string) => {
    button.textContent = text
    setTimeout(() => {
      button.textContent = label
    }, shownMs)
  }
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(read())
      say('Copied')
    } catch {
      // Pages without https may not write to the clipboard. Then the reader copies what is selected.
      if (shown !== null) window.getSelection()?.selectAllChildren(shown)
      say(shown === null ? 'Not copied' : 'Press Ctrl-C')
    }
  })
}
