import { shownBytes } from '../words/shown-bytes.ts';
import { LongText } from './long-text.tsx';
import { bytesOf, type Media } from './media.ts';

function Shown({ media: { element, mediaType, base64 }, name }: { readonly media: Media; readonly name: string }) {
  const address = `data:${mediaType};base64,${base64}`;
  switch (element) {
    case 'img':
      return <img src={address} alt={`What came with this message: ${name}`} />;
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: nobody wrote captions to what was recorded.
      return <audio controls src={address} aria-label={name} />;
    case 'video':
      // biome-ignore lint/a11y/useMediaCaption: nobody wrote captions to what was recorded.
      return <video controls src={address} aria-label={name} />;
    default:
      return (
        <details>
          <summary>base64</summary>
          <LongText text={base64} isProse />
        </details>
      );
  }
}

/** What came with a message as bytes: to be seen or heard where a browser can do that, else named. */
export function MediaView({ media }: { readonly media: Media }) {
  const name = `${media.mediaType}, ${shownBytes(bytesOf(media.base64))}`;
  return (
    <figure class="media">
      <figcaption class="faint">{name}</figcaption>
      <Shown media={media} name={name} />
    </figure>
  );
}
