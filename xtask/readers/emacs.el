;;; What Emacs reads.  -*- lexical-binding: t -*-

(setq max-lisp-eval-depth 20000 max-specpdl-size 40000 gc-cons-threshold 100000000)

(defun reader-bytes (text)
  "The bytes of TEXT: characters in UTF-8, raw bytes as they are."
  (if (multibyte-string-p text) (encode-coding-string text 'utf-8-unix t) text))

(defun reader-token (tag text)
  (let ((bytes (reader-bytes text)))
    (insert tag (number-to-string (length bytes)) ":")
    (insert bytes)
    (insert "\n")))

(defun reader-show (x)
  (cond ((null x) (insert "()"))
        ((symbolp x) (reader-token "Y" (symbol-name x)))
        ((stringp x) (reader-token "S" x))
        ((consp x)
         (insert "(")
         (while (consp x) (reader-show (car x)) (setq x (cdr x)))
         (when x (reader-token "Y" ".") (reader-show x))
         (insert ")"))
        ((vectorp x) (insert "[") (mapc #'reader-show x) (insert "]"))
        (t (reader-token "N" (prin1-to-string x)))))

(defun reader-file (name)
  (reader-token "F" name)
  (let ((out (current-buffer)))
    (with-temp-buffer
      (let ((coding-system-for-read 'utf-8-unix)) (insert-file-contents name))
      (goto-char (point-min))
      (condition-case fault
          (let (start)
            (condition-case nil
                (while t
                  (setq start (point))
                  (let ((form (read (current-buffer)))) (with-current-buffer out (reader-show form))))
              ;; Between forms, or in one?  A form put at the end tells.
              (end-of-file
               (goto-char (point-max))
               (insert "\nend")
               (goto-char start)
               (unless (eq (read (current-buffer)) 'end) (error "Something left over"))
               (with-current-buffer out (insert ".\n")))))
        (error (with-current-buffer out (reader-token "!" (format "%S" fault))))))))

(dolist (function '(reader-bytes reader-token reader-show reader-file)) (byte-compile function))
(let ((coding-system-for-write 'no-conversion))
  (with-temp-buffer
    (set-buffer-multibyte nil)
    (mapc #'reader-file command-line-args-left)
    (write-region (point-min) (point-max) "/dev/stdout" t 'quiet))
  (kill-emacs 0))
